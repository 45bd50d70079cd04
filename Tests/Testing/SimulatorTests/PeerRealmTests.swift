// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncSimulator

@Suite("The simulator's model of a Realm file")
struct PeerRealmTests {
  private let realm: PeerRealm

  init() throws {
    realm = try PeerRealm(number: 0, newestVersion: 6) { 1_000 }
    realm.file = SaltedFileIdent(ident: 3, salt: 30)
    // The schema, and the transaction that asks for the set, are uploaded.
    _ = realm.subscribe("{}", view: nil)
    try #require(try integrate(realm, serverVersion: 9, query: 7, upload: 3))
  }

  @discardableResult
  private func integrate(
    _ realm: PeerRealm,
    serverVersion: ServerVersion,
    query: QueryVersion,
    upload: ClientVersion = 0,
    _ instructions: [Instruction] = []
  ) throws -> Bool {
    let entry = DownloadEntry(
      serverVersion: serverVersion,
      clientVersion: upload,
      timestamp: 1,
      originFileIdent: 99,
      changeset: ChangesetCodec.encode(instructions)
    )
    let progress = SyncProgress(
      download: DownloadCursor(serverVersion: serverVersion, clientVersion: upload),
      upload: UploadCursor(clientVersion: upload, serverVersion: 0),
      latest: LatestServerVersion(serverVersion: serverVersion, salt: 77)
    )
    return try realm.integrate(
      DownloadMessage(
        session: 1,
        progress: progress,
        queryVersion: query,
        batchState: .last,
        entries: [entry]
      )
    )
  }

  private func mark(_ key: String) -> Instruction {
    .createObject(ObjectReference(table: SimulationSchema.journal, key: .string(key)))
  }

  private func write(_ key: String) throws {
    try realm.write { objects in
      try objects.apply(mark(key))
      return [mark(key)]
    }
  }

  /// A copy that has everything of the server: its schema and one object.
  private func makeCopy() throws -> PeerRealm {
    let copy = try PeerRealm(freshCopyOf: realm)
    copy.file = SaltedFileIdent(ident: 4, salt: 40)
    let schema = ObjectStore.declarations(of: SimulationSchema.schema)
    try integrate(copy, serverVersion: 2, query: 1, schema + [mark("theirs")])
    return copy
  }

  private func upload() throws -> UploadMessage? {
    guard case .upload(let message)? = realm.uploadMessage(1) else { return nil }
    return message
  }

  @Test(
    "After a reset it has the copy's ident and versions, its own set's number, and its changes under their versions"
  )
  func recovery() throws {
    try write("ours")
    let version = try #require(try upload()?.entries.last?.clientVersion)
    let copy = try makeCopy()
    try realm.reset(to: copy, file: #require(copy.file), isRecovering: true)
    guard case .ident(let ident) = realm.identMessage(2, try #require(realm.file)) else { return }
    #expect(ident.file == copy.file)
    #expect(ident.download == DownloadCursor(serverVersion: 2, clientVersion: 0))
    #expect(ident.queryVersion == 7)
    let message = try #require(try upload())
    #expect(message.entries.map(\.clientVersion) == [version])
    #expect(message.entries.map(\.serverVersion) == [2])
    #expect(try StateChecks.keys(realm.objects, SimulationSchema.journal) == ["ours", "theirs"])
  }

  @Test(
    "What is discarded is neither kept nor uploaded, and the number of a set that was not in force is used again"
  )
  func discarding() throws {
    try write("ours")
    #expect(realm.subscribe("{}", view: nil) == 8)
    let copy = try makeCopy()
    try realm.reset(to: copy, file: #require(copy.file), isRecovering: false)
    _ = realm.identMessage(2, try #require(realm.file))
    #expect(try upload() == nil)
    #expect(try StateChecks.keys(realm.objects, SimulationSchema.journal) == ["theirs"])
    #expect(realm.subscribe("{}", view: nil) == 8)
  }

  @Test("A copy uploads nothing, and one without the schema is refused")
  func copies() throws {
    let copy = try makeCopy()
    #expect(copy.uploadMessage(1) == nil)
    let empty = try PeerRealm(freshCopyOf: realm)
    #expect(throws: SimulationFailure.self) {
      try realm.reset(to: empty, file: SaltedFileIdent(ident: 5, salt: 1), isRecovering: true)
    }
  }

  @Test("What was committed before a set is uploaded before it, and acknowledges no version that came later")
  func order() throws {
    _ = realm.identMessage(2, try #require(realm.file))
    try write("before")
    #expect(realm.subscribe("{}", view: nil) == 8)
    try write("after")
    try integrate(realm, serverVersion: 12, query: 7, upload: 3)
    let (message, _) = try #require(realm.nextQuery(2))
    guard case .upload(let upload)? = message else {
      Issue.record("nothing is uploaded before the set")
      return
    }
    #expect(upload.entries.count == 1)
    #expect(upload.progress.serverVersion == 9)
    #expect(try self.upload()?.entries.count == 1)
  }

  @Test("A bootstrap without any changeset, or of a set that nobody asked for, fails")
  func badBootstraps() throws {
    #expect(throws: SimulationFailure.self) { try integrate(realm, serverVersion: 12, query: 9, upload: 3) }
    #expect(throws: SimulationFailure.self) {
      _ = try realm.integrate(
        DownloadMessage(session: 1, progress: realm.progress, queryVersion: 7, batchState: .last)
      )
    }
  }
}
