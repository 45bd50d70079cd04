// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncCore

/// Changes that the server did not have when it erased their object.
@Suite struct LostChangeTests {
  let folder = TemporaryFolder()
  let realm: RealmFile

  init() throws {
    realm = try folder.openTaskRealm()
    try realm.database.write { try realm.objects.apply([.createObject(task(1)), .createObject(task(2))]) }
  }

  private func incoming(_ server: UInt64, from origin: UInt64 = 1, _ instructions: [Instruction])
    -> DownloadEntry
  {
    var incoming = entry(server, base: 0, instructions)
    incoming.originFileIdent = origin
    return incoming
  }

  private func download(from origin: UInt64 = 1, _ instructions: [Instruction]) throws {
    try realm.integrate([incoming(1, from: origin, instructions)], progress: progress(server: 1))
  }

  private func bootstrap(_ instructions: [Instruction]) throws {
    try realm.storeBootstrapBatch(
      queryVersion: 0,
      entries: [incoming(1, instructions)],
      end: progress(server: 1)
    )
    try realm.applyBootstrap()
  }

  @Test func aBootstrapThatTakesAnObjectOutOfTheViewLeavesItsChangesToTheApp() throws {
    try realm.writeLocally([setTitle(1, "lost")], timestamp: 10)
    try realm.writeLocally([setTitle(2, "stays")])
    try realm.writeLocally([.addInteger(task(1).at("progress"), delta: 5)], timestamp: 20)
    try bootstrap([.eraseObject(task(1))])
    let writes = try realm.rejectedWrites()
    #expect(writes.map(\.object) == [task(1)])
    #expect(writes.map(\.writtenAt) == [20])
    #expect(
      writes.map(\.reason) == [
        "write to \"1\" in table \"Task\" was reverted; the object left the current query view before the server "
          + "received the write"
      ]
    )
    #expect(
      try realm.rejectedWrite(writes[0].id)?.instructions == [
        setTitle(1, "lost"), .addInteger(task(1).at("progress"), delta: 5),
      ]
    )
    let untold = try realm.untoldRejections()
    #expect(untold.map(\.error.code) == [0])
    #expect(try realm.objects.read(task(2), "title") == .string("stays"))
  }

  @Test func anObjectThatTheServerReplacesLeavesItsChangesToTheApp() throws {
    try realm.writeLocally([setTitle(1, "lost")])
    // By another client's change that brought the object into the view.
    try download(from: 7, [.eraseObject(task(1)), .createObject(task(1)), setTitle(1, "theirs")])
    #expect(try realm.objects.read(task(1), "title") == .string("theirs"))
    let write = try #require(try realm.rejectedWrites().first)
    #expect(write.reason.contains("replaced"))
    // It can be made again.
    try realm.database.write {
      _ = try realm.recordLocalChanges(try realm.resubmitRejectedWrite(write.id), timestamp: 900)
    }
    #expect(try realm.objects.read(task(1), "title") == .string("lost"))
  }

  @Test func anErasureByTheServerItselfLeavesChangesToTheApp() throws {
    try realm.writeLocally([setTitle(1, "lost")])
    try download([.eraseObject(task(1))])
    #expect(try realm.rejectedWrites().map(\.object) == [task(1)])
  }

  @Test func aDeletionByAnotherClientTakesChangesSilently() throws {
    try realm.writeLocally([setTitle(1, "lost")])
    try download(from: 7, [.eraseObject(task(1))])
    #expect(try realm.objects.row(of: task(1)) == nil)
    #expect(try realm.rejectedWrites().isEmpty)
  }

  @Test func aDeletionOfOnesOwnIsNoLossUnlessTheObjectComesBack() throws {
    try realm.writeLocally([.eraseObject(task(1))], timestamp: 10)
    try realm.writeLocally([.eraseObject(task(2))], timestamp: 10)
    try bootstrap([.eraseObject(task(1)), .eraseObject(task(2)), .createObject(task(2))])
    #expect(try realm.rejectedWrites().map(\.object) == [task(2)])
    #expect(try realm.objects.row(of: task(1)) == nil)
    #expect(try realm.objects.row(of: task(2)) != nil)
  }

  @Test func aLaterDeletionAndCreationOfOnesOwnWins() throws {
    try realm.writeLocally(
      [.eraseObject(task(1)), .createObject(task(1)), setTitle(1, "mine")],
      timestamp: 900
    )
    try bootstrap([.eraseObject(task(1)), .createObject(task(1)), setTitle(1, "theirs")])
    #expect(try realm.objects.read(task(1), "title") == .string("mine"))
    #expect(try realm.rejectedWrites().isEmpty)
  }

  @Test func whatTheServerKnewIsNotLost() throws {
    let version = try realm.writeLocally([setTitle(1, "known")])
    try realm.integrate(
      [entry(1, base: version, [.eraseObject(task(1))])],
      progress: progress(server: 1, base: version, upload: version)
    )
    #expect(try realm.rejectedWrites().isEmpty)
  }

  @Test func aRejectionOfTheSameChangesIsNotToldTwice() throws {
    let version = try realm.writeLocally([setTitle(1, "lost")])
    try bootstrap([.eraseObject(task(1))])
    try realm.integrate(
      [entry(2, base: version, [.eraseObject(task(1))])],
      progress: progress(server: 2, base: version, upload: version),
      rejections: [rejection(of: task(1), written: version, server: 2)]
    )
    #expect(try realm.rejectedWrites().count == 1)
    #expect(try realm.untoldRejections().flatMap(\.writes).count == 1)
  }

  @Test func theRevertOfARejectedWriteTellsOnceOfTheChangesThatItTakes() throws {
    let version = try realm.writeLocally([setTitle(1, "rejected")])
    try realm.writeLocally([setTitle(1, "later")])
    try realm.integrate(
      [entry(2, base: version, [.eraseObject(task(1)), .createObject(task(1))])],
      progress: progress(server: 2, base: version, upload: version),
      rejections: [rejection(of: task(1), written: version, server: 2)]
    )
    #expect(try realm.rejectedWrites().map(\.reason) == ["not allowed"])
    #expect(
      try realm.rejectedWrites().first.flatMap { try realm.rejectedWrite($0.id) }?.instructions
        == [setTitle(1, "rejected"), setTitle(1, "later")]
    )
  }
}
