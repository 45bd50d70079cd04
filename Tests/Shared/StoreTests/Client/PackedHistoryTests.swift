// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// The history holds long changesets compressed, which nothing but the file notices.
@Suite struct PackedHistoryTests {
  let folder = TemporaryFolder()
  let realm: RealmFile

  init() throws { realm = try folder.openTaskRealm() }

  private var storedByteCount: Int64 {
    get throws { try realm.database.integer("SELECT sum(length(changeset)) FROM flx_history") }
  }

  private func makeTasks(_ keys: ClosedRange<Int64>) -> [Instruction] {
    keys.flatMap { [.createObject(task($0)), setTitle($0, "Write report number \($0)")] }
  }

  @Test func aLongChangesetIsCompressedInTheFileAndUploadedAsItWas() throws {
    let instructions = makeTasks(1...1000)
    let original = ChangesetCodec.encode(instructions)
    let version = try realm.writeLocally(instructions)
    #expect(try storedByteCount < Int64(original.count) / 2)
    #expect(try realm.uploads(after: 0, byteLimit: 1).entries.map(\.changeset) == [original])
    #expect(try realm.pendingUploadBytes(through: version) == UInt64(original.count))
  }

  @Test func aShortChangesetIsStoredAsItIs() throws {
    let instructions = makeTasks(1...3)
    try realm.writeLocally(instructions)
    #expect(try storedByteCount == Int64(ChangesetCodec.encode(instructions).count))
  }

  @Test func aCompressedChangesetIsMergedWithWhatArrivesLater() throws {
    let version = try realm.writeLocally(makeTasks(1...500))
    let remote: [Instruction] = [.createObject(task(7)), setTitle(7, "from elsewhere")]
    try realm.integrate([entry(3, base: version - 1, timestamp: 200, remote)], progress: progress(server: 3))
    let row = try #require(try realm.objects.row(of: task(7)))
    let title = try #require(try realm.objects.table(named: "Task")?.column(named: "title"))
    #expect(try realm.objects.value(row: row, title) == .string("from elsewhere"))
    #expect(try realm.uploads(after: 0, byteLimit: 1).entries.count == 1)
  }

  @Test func aDamagedFrameIsReportedAndNothingIsUploaded() throws {
    try realm.writeLocally(makeTasks(1...500))
    try realm.database.write {
      try realm.database.execute(
        "UPDATE flx_history SET changeset = substr(changeset, 1, length(changeset) - 9)"
      )
    }
    let error = #expect(throws: StorageError.self) { try realm.uploads(after: 0, byteLimit: 1) }
    #expect(error?.kind == .corrupt)
  }

  @Test func theClientVersionGoesOnAfterTheHistoryWasAcknowledged() throws {
    let first = try realm.writeLocally(makeTasks(1...2))
    try realm.integrate([], progress: progress(server: 5, base: first, upload: first))
    #expect(try realm.database.integer("SELECT count(*) FROM flx_history") == 0)
    #expect(try realm.clientVersion() == first)
    #expect(try realm.writeLocally(makeTasks(3...3)) == first + 1)
    #expect(try folder.openRealm().clientVersion() == first + 1)
  }
}
