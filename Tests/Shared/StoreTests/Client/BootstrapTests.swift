// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncCore

@Suite struct BootstrapTests {
  let folder = TemporaryFolder()

  @Test func aNewFileHasAnEmptyPendingSetZero() throws {
    let realm = try folder.openRealm()
    let set = try realm.latestSubscriptionSet()
    #expect(set.version == 0)
    #expect(set.state == .pending)
    #expect(set.subscriptions.isEmpty)
    #expect(try realm.activeSubscriptionSet() == nil)
  }

  @Test func subscriptionSetsSurviveReopening() throws {
    let set = try folder.openRealm().addSubscriptionSet([
      subscription("Task", "a == 1", name: "mine"), subscription("Person"),
    ])
    let realm = try folder.openRealm()
    #expect(try realm.latestSubscriptionSet() == set)
    #expect(set.version == 1)
    #expect(set.state == .pending)
    #expect(try realm.pendingSubscriptionSets(after: 0) == [set])
  }

  @Test func batchesTakeEffectTogetherWhenTheLastIsApplied() throws {
    let realm = try folder.openTaskRealm()
    _ = try realm.addSubscriptionSet([subscription("Task")])
    try realm.storeBootstrapBatch(
      queryVersion: 1,
      entries: [entry(3, base: 0, [.createObject(task(1))])],
      end: nil
    )
    #expect(try realm.subscriptionSet(version: 1)?.state == .bootstrapping)
    #expect(try realm.completeBootstrap() == nil)
    #expect(try realm.objects.row(of: task(1)) == nil)
    try realm.storeBootstrapBatch(
      queryVersion: 1,
      entries: [entry(3, base: 0, [.createObject(task(2))])],
      end: progress(server: 3)
    )
    #expect(try realm.completeBootstrap() == 1)
    #expect(try realm.progress() == SyncProgress.start)
    try realm.applyBootstrap()
    #expect(try realm.objects.row(of: task(1)) != nil)
    #expect(try realm.objects.row(of: task(2)) != nil)
    #expect(try realm.progress() == progress(server: 3))
    #expect(try realm.completeBootstrap() == nil)
    #expect(try realm.subscriptionSet(version: 0) == nil)
    #expect(try realm.subscriptionSet(version: 1)?.state == .awaitingMark)
    #expect(try realm.activeSubscriptionSet()?.version == 1)
    #expect(try realm.completeSubscriptionSet(version: 1))
    #expect(try !realm.completeSubscriptionSet(version: 1))
    #expect(try realm.subscriptionSet(version: 1)?.state == .complete)
  }

  @Test func aCompleteBootstrapIsAppliedAfterReopening() throws {
    do {
      let realm = try folder.openTaskRealm()
      try realm.storeBootstrapBatch(
        queryVersion: 0,
        entries: [entry(1, base: 0, [.createObject(task(1))])],
        end: progress(server: 1)
      )
    }
    let realm = try folder.openRealm()
    try realm.discardIncompleteBootstrap()
    #expect(try realm.completeBootstrap() == 0)
    try realm.applyBootstrap()
    #expect(try realm.objects.row(of: task(1)) != nil)
  }

  @Test func whatABootstrapLeavesOfLocalChangesIsWhatLaterDownloadsAreMergedWith() throws {
    let realm = try folder.openTaskRealm()
    _ = try realm.addSubscriptionSet([subscription("Task")])
    let tag = Payload.value(.string("x"))
    let insertion = Instruction.arrayInsert(task(1).at("tags", 0), tag, priorSize: 0)
    try realm.writeLocally([.createObject(task(1)), insertion])
    try realm.integrate([entry(1, base: 0, [.createObject(task(2))])], progress: progress(server: 1))
    try realm.storeBootstrapBatch(
      queryVersion: 1,
      entries: [entry(2, base: 0, [.eraseObject(task(1)), .createObject(task(1))])],
      end: progress(server: 2)
    )
    try realm.applyBootstrap()
    try realm.integrate([], progress: progress(server: 2))
    try realm.integrate([entry(3, base: 0, [insertion])], progress: progress(server: 3))
    let table = try #require(try realm.objects.table(named: "Task"))
    let row = try #require(try realm.objects.row(of: task(1)))
    #expect(try realm.objects.listValues(row: row, #require(table.column(named: "tags"))) == [.string("x")])
  }

  @Test func anIncompleteBootstrapCanBeDiscarded() throws {
    let realm = try folder.openTaskRealm()
    try realm.storeBootstrapBatch(
      queryVersion: 0,
      entries: [entry(1, base: 0, [.createObject(task(1))])],
      end: nil
    )
    try realm.discardIncompleteBootstrap()
    #expect(try realm.subscriptionSet(version: 0)?.state == .pending)
    try realm.storeBootstrapBatch(
      queryVersion: 0,
      entries: [entry(2, base: 0, [.createObject(task(2))])],
      end: progress(server: 2)
    )
    try realm.applyBootstrap()
    #expect(try realm.objects.row(of: task(1)) == nil)
    #expect(try realm.objects.row(of: task(2)) != nil)
  }

  @Test func aBatchForAnotherVersionReplacesWhatIsStored() throws {
    let realm = try folder.openTaskRealm()
    _ = try realm.addSubscriptionSet([])
    try realm.storeBootstrapBatch(
      queryVersion: 0,
      entries: [entry(1, base: 0, [.createObject(task(1))])],
      end: nil
    )
    try realm.storeBootstrapBatch(
      queryVersion: 1,
      entries: [entry(2, base: 0, [.createObject(task(2))])],
      end: progress(server: 2)
    )
    try realm.applyBootstrap()
    #expect(try realm.objects.row(of: task(1)) == nil)
  }

  @Test func aSetThatIsCompleteStaysSoWhenItIsBootstrappedAgain() throws {
    let realm = try folder.openTaskRealm()
    for server in [1, 2] as [UInt64] {
      try realm.storeBootstrapBatch(
        queryVersion: 0,
        entries: [entry(server, base: 0, [])],
        end: progress(server: server)
      )
      try realm.applyBootstrap()
      try realm.completeSubscriptionSet(version: 0)
    }
    #expect(try realm.subscriptionSet(version: 0)?.state == .complete)
  }

  @Test func erasesBeatConcurrentLocalChanges() throws {
    let realm = try folder.openTaskRealm()
    try realm.integrate([entry(1, base: 0, [.createObject(task(1))])], progress: progress(server: 1))
    try realm.writeLocally([setTitle(1, "late")], timestamp: 999)
    try realm.storeBootstrapBatch(
      queryVersion: 0,
      entries: [entry(2, base: 0, [.eraseObject(task(1)), .createObject(task(1)), setTitle(1, "server")])],
      end: progress(server: 2)
    )
    try realm.applyBootstrap()
    #expect(try realm.objects.read(task(1), "title") == .string("server"))
  }

  @Test func aBadBootstrapChangesNothing() throws {
    let realm = try folder.openTaskRealm()
    try realm.storeBootstrapBatch(
      queryVersion: 0,
      entries: [entry(1, base: 0, [.createObject(task(1)), setTitle(9, "x")])],
      end: progress(server: 1)
    )
    #expect(throws: IntegrationError.self) { try realm.applyBootstrap() }
    #expect(try realm.objects.row(of: task(1)) == nil)
    #expect(try realm.completeBootstrap() == 0)
    #expect(try realm.progress() == SyncProgress.start)
  }

  @Test func aBootstrapForASetThatWasRefusedOrNeverExistedIsAnError() throws {
    let realm = try folder.openTaskRealm()
    _ = try realm.addSubscriptionSet([subscription("Nowhere")])
    try realm.failSubscriptionSet(version: 1, errorText: "no such class")
    #expect(try realm.subscriptionSet(version: 1)?.errorText == "no such class")
    for version in [1, 5] as [Int64] {
      #expect(throws: IntegrationError.self) {
        try realm.storeBootstrapBatch(queryVersion: version, entries: [], end: nil)
      }
    }
  }
}
