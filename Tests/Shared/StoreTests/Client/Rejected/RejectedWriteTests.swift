// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncCore

/// What the server rejects with an error 231.
@Suite struct RejectedWriteTests {
  let folder = TemporaryFolder()
  let realm: RealmFile

  init() throws { realm = try folder.openTaskRealm() }

  private func kept(_ id: Int64) throws -> [Instruction] {
    try #require(try realm.rejectedWrite(id)).instructions
  }

  /// Takes an object back.
  private func revert(_ object: ObjectReference, written version: UInt64, server: UInt64 = 3) throws {
    try realm.integrate(
      [entry(server, base: version, timestamp: 300, [.eraseObject(object)])],
      progress: progress(server: server, base: version, upload: version),
      rejections: [rejection(of: object, written: version, server: server)]
    )
  }

  @Test func aRejectedWriteIsKeptWithItsReasonAndOtherObjectsOfTheTransactionStand() throws {
    let version = try realm.writeLocally(
      [.createObject(task(1)), setTitle(1, "legal"), .createObject(task(2)), setTitle(2, "illegal")],
      timestamp: 150
    )
    try revert(task(2), written: version)
    #expect(try realm.objects.row(of: task(1)) != nil)
    #expect(try realm.objects.row(of: task(2)) == nil)
    let writes = try realm.rejectedWrites()
    let write = try #require(writes.first)
    #expect(writes.count == 1)
    #expect(write.object == task(2))
    #expect(write.reason == "not allowed")
    #expect(write.state == .kept)
    #expect(write.writtenAt == 150)
    #expect(write.rejectedAt == 300)
    #expect(write.hasChanges)
    #expect(try kept(write.id) == [.createObject(task(2)), setTitle(2, "illegal")])
    #expect(try realm.uploads(after: 0, byteLimit: .max).entries.isEmpty)
  }

  @Test func laterChangesOfTheObjectAreKeptWithItAndNotToldAgain() throws {
    let first = try realm.writeLocally([.createObject(task(2))])
    let second = try realm.writeLocally([setTitle(2, "later")])
    try realm.writeLocally([.createObject(task(3))])
    try revert(task(2), written: first)
    let write = try #require(try realm.rejectedWrites().first)
    #expect(try kept(write.id) == [.createObject(task(2)), setTitle(2, "later")])
    #expect(try realm.untoldRejections().flatMap(\.writes).map(\.id) == [write.id])
    // The server may reject the later one, too.
    try realm.integrate(
      [entry(4, base: second, [.eraseObject(task(2))])],
      progress: progress(server: 4, base: second, upload: second),
      rejections: [rejection(of: task(2), written: second, server: 4)]
    )
    #expect(try realm.rejectedWrites().count == 1)
    #expect(try realm.objects.row(of: task(3)) != nil)
  }

  @Test func whatAnErasureHadTakenBeforeTheRejectionIsKeptAsItWasWritten() throws {
    let created = try realm.writeLocally([.createObject(task(2))])
    let changed = try realm.writeLocally([setTitle(2, "mine"), .createObject(task(3))])
    // Another client's change takes the object out of the view; then the server hears of this one's.
    let leaving = DownloadEntry(
      serverVersion: 3,
      clientVersion: created,
      timestamp: 300,
      originFileIdent: 7,
      changeset: ChangesetCodec.encode([.eraseObject(task(2))])
    )
    try realm.integrate(
      [leaving],
      progress: progress(server: 3, base: created, upload: created)
    )
    #expect(try realm.rejectedWrites().isEmpty)
    try revert(task(2), written: changed, server: 4)
    let write = try #require(try realm.rejectedWrites().first)
    #expect(try kept(write.id) == [setTitle(2, "mine")])
    #expect(try realm.objects.row(of: task(3)) != nil)
  }

  @Test func rejectionsAreToldOnceAlsoIfTheProcessEndsBefore() throws {
    let version = try realm.writeLocally([.createObject(task(2))])
    try revert(task(2), written: version)
    let reopened = try folder.openRealm()
    let untold = try reopened.untoldRejections()
    #expect(
      untold.map(\.error) == [RejectionError(code: 231, message: "it has been reverted", logURL: "url")]
    )
    #expect(untold.map(\.serverVersion) == [3])
    #expect(untold.flatMap(\.writes).map(\.object) == [task(2)])
    try reopened.noteTold(try #require(untold.first))
    #expect(try reopened.untoldRejections().isEmpty)
    #expect(try folder.openRealm().untoldRejections().isEmpty)
    #expect(try folder.openRealm().rejectedWrites().count == 1)
  }

  @Test func nothingIsKeptIfTheRevertCannotBeApplied() throws {
    let version = try realm.writeLocally([.createObject(task(2))])
    #expect(throws: IntegrationError.self) {
      try realm.integrate(
        [entry(3, base: version, [setTitle(7, "not there")])],
        progress: progress(server: 3, base: version, upload: version),
        rejections: [rejection(of: task(2), written: version, server: 3)]
      )
    }
    #expect(try realm.rejectedWrites().isEmpty)
    #expect(try realm.objects.row(of: task(2)) != nil)
  }

  @Test func aRejectionOfWhatIsForgottenSaysSo() throws {
    try revert(task(2), written: 1)
    let write = try #require(try realm.rejectedWrites().first)
    #expect(!write.hasChanges)
    try realm.database.beginWrite()
    #expect(throws: ResubmissionError.self) { try realm.resubmitRejectedWrite(write.id) }
    try realm.database.rollback()
  }

  @Test func theOldestGoWhenThereAreTooManyButNotUntold() throws {
    realm.rejectedWriteLimits.count = 2
    for key in 1...4 as ClosedRange<Int64> {
      let version = try realm.writeLocally([.createObject(task(key))])
      try revert(task(key), written: version, server: UInt64(key))
    }
    #expect(try realm.rejectedWrites().count == 4)
    for rejection in try realm.untoldRejections() { try realm.noteTold(rejection) }
    #expect(try realm.rejectedWrites().map(\.object) == [task(3), task(4)])
  }

  @Test func theBytesOfTheChangesAreLimited() throws {
    realm.rejectedWriteLimits.byteCount = 1500
    for key in 1...3 as ClosedRange<Int64> {
      let text = String(repeating: "x", count: 1000)
      let version = try realm.writeLocally([.createObject(task(key)), setTitle(key, text)])
      try revert(task(key), written: version, server: UInt64(key))
    }
    for rejection in try realm.untoldRejections() { try realm.noteTold(rejection) }
    #expect(try realm.rejectedWrites().map(\.object) == [task(3)])
  }

  @Test func aDiscardedWriteIsGone() throws {
    let version = try realm.writeLocally([.createObject(task(2))])
    try revert(task(2), written: version)
    let id = try #require(try realm.rejectedWrites().first).id
    #expect(try realm.discardRejectedWrite(id))
    #expect(try !realm.discardRejectedWrite(id))
    #expect(try realm.rejectedWrites().isEmpty)
  }
}

/// An error 231 about one object.
func rejection(of object: ObjectReference, written version: UInt64, server: UInt64) -> ServerRejection {
  ServerRejection(
    error: RejectionError(code: 231, message: "it has been reverted", logURL: "url"),
    clientVersion: version,
    serverVersion: server,
    objects: [ServerRejection.Object(object: object, reason: "not allowed")]
  )
}
