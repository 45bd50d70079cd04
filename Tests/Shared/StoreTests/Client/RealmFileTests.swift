// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct RealmFileTests {
  let folder = TemporaryFolder()

  @Test func aFileKnowsWhetherItIsSetUpAndWhoseItIs() throws {
    #expect(try !folder.openRealm().isSetUp())
    try folder.openRealm().finishSetUp()
    #expect(try folder.openRealm().isSetUp())
    for other in [RealmOwner.local, .synced(appID: "app", userID: "bob")] {
      let error = #expect(throws: StorageError.self) { try folder.openRealm(owner: other) }
      #expect(error?.kind == .incompatibleFile)
    }
  }

  @Test func identityAndProgressSurviveReopening() throws {
    do {
      let realm = try folder.openRealm()
      #expect(try realm.fileIdent() == nil)
      try realm.setFileIdent(SaltedFileIdent(ident: 7, salt: .min))
      try realm.integrate([], progress: progress(server: 5, base: 0, upload: 0))
    }
    let realm = try folder.openRealm()
    #expect(try realm.fileIdent() == SaltedFileIdent(ident: 7, salt: .min))
    #expect(try realm.progress() == progress(server: 5))
  }

  @Test func localChangesAreUploadedAsTheyWereCommitted() throws {
    let realm = try folder.openTaskRealm()
    let start = try realm.clientVersion()
    let first: [Instruction] = [.createObject(task(1)), setTitle(1, "a")]
    let version = try realm.writeLocally(first, timestamp: 11)
    #expect(version == start + 1)
    try realm.integrate([entry(9, base: 0, [.createObject(task(2))])], progress: progress(server: 9))
    try realm.writeLocally([setTitle(2, "b")], timestamp: 12)
    let batch = try realm.uploads(after: 0, byteLimit: 1 << 17)
    #expect(
      batch.entries == [
        UploadEntry(
          clientVersion: version,
          serverVersion: 0,
          timestamp: 11,
          changeset: ChangesetCodec.encode(first)
        ),
        UploadEntry(
          clientVersion: version + 2,
          serverVersion: 9,
          timestamp: 12,
          changeset: ChangesetCodec.encode([setTitle(2, "b")])
        ),
      ]
    )
    #expect(batch.scannedTo.clientVersion == version + 2)
    #expect(batch.scannedTo.serverVersion == 9)
  }

  @Test func uploadsAreCutBehindTheLimitWithAtLeastOneChangeset() throws {
    let realm = try folder.openTaskRealm()
    let versions = try (1...3).map { try realm.writeLocally([.createObject(task($0))]) }
    let batch = try realm.uploads(after: 0, byteLimit: 0)
    #expect(batch.entries.map(\.clientVersion) == [versions[0]])
    #expect(batch.scannedTo.clientVersion == versions[0])
    #expect(try realm.uploads(after: versions[0], byteLimit: 1).entries.count == 1)
    #expect(try realm.uploads(after: versions[2], byteLimit: 1).entries.isEmpty)
  }

  @Test func aTransactionWithoutChangesMakesNoVersion() throws {
    let realm = try folder.openTaskRealm()
    let before = try realm.clientVersion()
    #expect(try realm.writeLocally([]) == before)
    #expect(try realm.clientVersion() == before)
  }

  @Test func aLocalRealmCountsVersionsAndKeepsNoHistory() throws {
    let realm = try folder.openRealm(owner: .local)
    try realm.database.write { try realm.objects.declare(taskSchema) }
    let version = try realm.writeLocally([.createObject(task(1))])
    #expect(try realm.clientVersion() == version)
    #expect(try realm.uploads(after: 0, byteLimit: 1).entries.isEmpty)
  }

  @Test func theLaterOfTwoConcurrentWritesWins() throws {
    for (timestamp, expected) in [(99 as UInt64, "mine"), (101, "theirs")] {
      let folder = TemporaryFolder()
      let realm = try folder.openTaskRealm()
      try realm.integrate([entry(1, base: 0, [.createObject(task(1))])], progress: progress(server: 1))
      try realm.writeLocally([setTitle(1, "mine")], timestamp: 100)
      try realm.integrate(
        [entry(2, base: 0, timestamp: timestamp, [setTitle(1, "theirs")])],
        progress: progress(server: 2)
      )
      #expect(try realm.objects.read(task(1), "title") == .string(expected))
    }
  }

  @Test func laterEntriesAreMergedOverTheReciprocalForm() throws {
    let realm = try folder.openTaskRealm()
    try realm.integrate([entry(1, base: 0, [.createObject(task(1))])], progress: progress(server: 1))
    func insert(_ text: String, at index: UInt32, prior: UInt32) -> Instruction {
      .arrayInsert(task(1).at("tags", index), .value(.string(text)), priorSize: prior)
    }
    let version = try realm.writeLocally([insert("mine", at: 0, prior: 0)], timestamp: 100)
    let original = try realm.uploads(after: 0, byteLimit: 1).entries
    // Two downloads, neither of which knew the local insertion.
    try realm.integrate([entry(2, base: 0, [insert("x", at: 0, prior: 0)])], progress: progress(server: 2))
    try realm.integrate([entry(3, base: 0, [insert("y", at: 1, prior: 1)])], progress: progress(server: 3))
    #expect(try realm.objects.list(task(1), "tags") == [.string("mine"), .string("x"), .string("y")])
    #expect(try realm.uploads(after: 0, byteLimit: 1).entries == original)
    // One that knew it.
    try realm.integrate(
      [entry(4, base: version, [.arrayErase(task(1).at("tags", 0), priorSize: 3)])],
      progress: progress(server: 4, base: version, upload: version)
    )
    #expect(try realm.objects.list(task(1), "tags") == [.string("x"), .string("y")])
  }

  @Test func acknowledgedHistoryIsDropped() throws {
    let realm = try folder.openTaskRealm()
    let first = try realm.writeLocally([.createObject(task(1))])
    let second = try realm.writeLocally([.createObject(task(2))])
    try realm.integrate([], progress: progress(server: 1, base: first, upload: second))
    #expect(try realm.uploads(after: 0, byteLimit: 1000).entries.map(\.clientVersion) == [second])
  }

  @Test func aBadChangesetLeavesTheFileAsItWas() throws {
    let realm = try folder.openTaskRealm()
    let version = try realm.clientVersion()
    let good = entry(1, base: 0, [.createObject(task(1))])
    var malformed = entry(2, base: 1, [])
    malformed.changeset = [0x3f]
    let bad = [
      malformed, entry(2, base: 1, [setTitle(5, "no such object")]),
      entry(2, base: 1, [.arrayInsert(task(1).at("tags", 0), .value(.string("x")), priorSize: 4)]),
    ]
    for bad in bad {
      let error = #expect(throws: IntegrationError.self) {
        try realm.integrate([good, bad], progress: progress(server: 2))
      }
      #expect(error?.serverVersion == 2)
    }
    #expect(try realm.objects.row(of: task(1)) == nil)
    #expect(try realm.progress() == SyncProgress.start)
    #expect(try realm.clientVersion() == version)
  }

  @Test func onlyOneClientMaySyncAFile() throws {
    do {
      let first = try SyncAgentLock(path: folder.file("test.flexsync"))
      let error = #expect(throws: StorageError.self) { try SyncAgentLock(path: folder.file("test.flexsync")) }
      #expect(error?.kind == .syncAgentActive)
      withExtendedLifetime(first) {}
    }
    _ = try SyncAgentLock(path: folder.file("test.flexsync"))
  }

  @Test func aChildThatIsAboutToCallExecDoesNotKeepTheRightToSync() throws {
    var copy: Int32 = -1
    do {
      let lock = try SyncAgentLock(path: folder.file("test.flexsync"))
      copy = dup(lock.descriptor)
    }
    defer { close(copy) }
    _ = try SyncAgentLock(path: folder.file("test.flexsync"))
  }
}
