// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

/// Commits that some observers are not told of, first reports without a refresh, and requested turns to write.
@Suite struct SilentCommitTests {
  let folder = TemporaryFolder()
  let realm: TestRealm
  let path: String

  init() throws {
    path = folder.file("silent.realm")
    realm = try TestRealm(path: path)
    try realm.write { for id in 0..<3 { try realm.create("Task", .int(Int64(id))) } }
  }

  private func task(_ id: Int64) throws -> TestObject { try #require(try realm.find("Task", .int(id))) }

  @Test func aSilencedObserverFollowsWithoutBeingTold() throws {
    let (silenced, told) = (try realm.objects("Task").observe(), try realm.objects("Task").observe())
    let object = try task(0).observe()
    let whole = try realm.observe()
    try realm.refresh()
    _ = (silenced.take(), told.take(), whole.take())
    try realm.beginWrite()
    try task(1).delete()
    try realm.commit(silencing: silenced)
    #expect(silenced.take() == [])
    #expect(told.take() == [Change(deletions: [1])])
    try realm.write { try task(2).set("name", .string("x")) }
    #expect(silenced.take() == [Change(modifications: [1])])
    #expect(told.take() == [Change(modifications: [1])])
    #expect(whole.take().count == 2)
    try realm.beginWrite()
    try realm.commit(silencing: whole)
    #expect(whole.take().isEmpty)
    try realm.beginWrite()
    try task(0).set("name", .string("x"))
    try realm.commit(silencing: object)
    #expect(object.take() == [])
  }

  @Test func theObserverOfAnotherRealmCannotBeSilenced() throws {
    let other = try TestRealm(path: path)
    let observation = try other.objects("Task").observe()
    try realm.beginWrite()
    let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try realm.commit(silencing: observation) }
    #expect(message == "Incorrect Realm: only notifications for the Realm being modified can be skipped.")
    try realm.commit()
  }

  @Test func aRealmTellsEachOfItsCommits() throws {
    let observation = try realm.observe()
    try realm.write {}
    #expect(observation.take().count == 1)
    try realm.beginWrite()
    try realm.cancel()
    try realm.refresh()
    #expect(observation.take().isEmpty)
  }

  @Test func firstReportsComeWithoutARefresh() throws {
    let results = try realm.objects("Task")
    #expect(try results.count == 3)
    let observation = try results.observe()
    let other = try TestRealm(path: path)
    #expect(try !realm.notify())
    #expect(observation.take() == [Change(isInitial: true)])
    try other.write { try other.create("Task", .int(9)) }
    #expect(try realm.notify())
    #expect(try results.count == 3)
    #expect(observation.take() == [])
    try realm.refresh()
    #expect(try !realm.notify())
    #expect(observation.take() == [Change(insertions: [3])])
  }

  // MARK: Turns

  @Test func aRequestedTurnComesAfterTheOthers() throws {
    let other = try TestRealm(path: path)
    let box = CallbackBox<Int>()
    try other.beginWrite()
    let turn = try realm.requestWrite(box)
    #expect(box.events.isEmpty)
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try realm.requestWrite(box) }
    try other.commit()
    #expect(box.events == [1])
    try realm.write { try realm.create("Task", .int(9)) }
    // Used up: a turn that nobody has requested is free.
    withExtendedLifetime(turn) {}
    try other.write {}
    #expect(box.events == [1])
  }

  @Test func aTurnThatIsGivenUpPassesOn() throws {
    let other = try TestRealm(path: path)
    let (first, second) = (CallbackBox<Int>(), CallbackBox<Int>())
    do {
      let turn = try realm.requestWrite(first)
      #expect(first.events == [1])
      let next = try other.requestWrite(second)
      #expect(second.events.isEmpty)
      withExtendedLifetime(turn) {}
      _ = consume turn
      #expect(second.events == [1])
      try other.write {}
      _ = consume next
    }
    try realm.write {}
    // A realm that is closed gives its turn up.
    let kept = try other.requestWrite(second)
    other.release()
    try realm.write {}
    withExtendedLifetime(kept) {}
  }

  @Test func aTransactionThatBeginsBeforeTakesTheTurn() throws {
    let other = try TestRealm(path: path)
    let box = CallbackBox<Int>()
    let turn = try realm.requestWrite(box)
    let waiting = try other.requestWrite(CallbackBox<Int>())
    try realm.write {}
    withExtendedLifetime(turn) {}
    try other.write {}
    withExtendedLifetime(waiting) {}
    try realm.write {}
  }
}
