// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// The table of processes, of which several of this process are as good as those of several.
@Suite struct ProcessTableTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("test.realm") }

  @Test func whoEntersIsSeenByThoseWhoAreThere() throws {
    let first = try ProcessTable(of: path)
    #expect(!first.hasOthers && !first.mayHaveNews)
    let second = try ProcessTable(of: path)
    #expect(first.hasOthers && first.mayHaveNews && second.hasOthers)
    second.leave()
    #expect(!first.hasOthers && first.mayHaveNews)
    first.noteQuiet(first.generation)
    #expect(!first.mayHaveNews)
  }

  @Test func wakeUpsAreForTheOthers() throws {
    let first = try ProcessTable(of: path)
    let second = try ProcessTable(of: path)
    // The second one has entered.
    #expect(first.takeWakeUp())
    second.wakeOthers()
    #expect(first.takeWakeUp() && !first.takeWakeUp())
    #expect(!second.takeWakeUp())
    first.noteRejectedWrites()
    #expect(second.takeWakeUp() && second.rejectedWritesVersion == 1)
  }

  @Test func aFileIsUnusedOnceAllHaveLeft() throws {
    let first = try ProcessTable(of: path)
    #expect(try ProcessTable.whileUnused(path) { true } == nil)
    first.leave()
    #expect(try ProcessTable.whileUnused(path) { true } == true)
  }

  @Test func whoeverEntersWaitsForACommit() throws {
    let first = try ProcessTable(of: path)
    let isShared = first.beginCommit()
    #expect(!isShared)
    // As if it had been killed.
    let second = try ProcessTable(of: path)
    #expect(second.hasOthers)
    first.endCommit()
    let isSharedNow = first.beginCommit()
    first.endCommit()
    #expect(isSharedNow)
  }

  @Test func theTableHasRoomForManyProcesses() throws {
    let tables = try (0..<128).map { _ in try ProcessTable(of: path) }
    #expect(Set(tables.map(\.identity)).count == 128)
    #expect(throws: StorageError.self) { try ProcessTable(of: path) }
    tables[17].leave()
    _ = try ProcessTable(of: path)
  }
}

/// The records of commits.
@Suite struct CommitRecordTests {
  private let folder = TemporaryFolder()
  private let file: RealmFile

  init() throws {
    let configuration = DatabaseConfiguration(location: .file(folder.file("test.realm")), application: .realm)
    file = try RealmFile.open(configuration, owner: .local)
  }

  private func append(_ touched: TouchedRows, by process: UInt64 = 1) throws {
    try file.database.write { try CommitRecords.append(touched, by: process, to: file.database) }
  }

  private func changes(after first: Int64, except process: UInt64 = 2) throws -> TouchedRows {
    let last = try CommitRecords.newest(in: file.database)
    return try CommitRecords.changes(after: first, through: last, except: process, in: file.database)
  }

  @Test func changesAreTheSameWhenTheyAreReadAgain() throws {
    let rows: [Int64: TouchedRows.RowChange] = [
      1: .inserted, 2: .inserted, 3: .modified(.all), 4: .modified(TouchedRows.ColumnSet(bits: 5)),
      9: .erased,
      1 << 40: .inserted,
    ]
    let changes = ["Task": rows, "Käse": [7: .modified(TouchedRows.ColumnSet(bits: 1))]]
    let read = TouchedRows(encoded: TouchedRows(changes).encoded)
    #expect(read.classes.mapValues(\.changes) == changes)
    #expect(read["Task"]?.isMembershipTouched == true && read["Käse"]?.isMembershipTouched == false)
    #expect(TouchedRows(encoded: TouchedRows.unknown.encoded).isUnknown)
    #expect(TouchedRows(encoded: [1, 200]).isUnknown)
  }

  @Test func onesOwnCommitsAreLeftOut() throws {
    try append(TouchedRows(["Task": [1: .inserted]]), by: 1)
    try append(TouchedRows(["Task": [2: .inserted]]), by: 2)
    #expect(try changes(after: 0, except: 2).classes["Task"]?.changes.keys.sorted() == [1])
    #expect(try changes(after: 0, except: 3).count == 2)
    #expect(try changes(after: 2).isEmpty)
  }

  @Test func aRecordThatIsTooLongSaysThatAnythingMayHaveChanged() throws {
    let rows = (0..<100_000).map { (Int64($0 * 2), TouchedRows.RowChange.modified(.all)) }
    try append(TouchedRows(["Task": Dictionary(uniqueKeysWithValues: rows)]))
    #expect(try changes(after: 0).isUnknown)
  }

  @Test func whoIsTooFarBehindMustAssumeThatAnythingHasChanged() throws {
    let rows = (0..<10_000).map { (Int64($0 * 2), TouchedRows.RowChange.modified(.all)) }
    let touched = TouchedRows(["Task": Dictionary(uniqueKeysWithValues: rows)])
    for _ in 0..<128 { try append(touched) }
    #expect(try CommitRecords.newest(in: file.database) == 128)
    #expect(try file.database.integer("SELECT count(*) FROM flx_commits") < 64)
    #expect(try changes(after: 0).isUnknown)
    #expect(try changes(after: 127).count == 10_000)
  }
}
