// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Synchronization
import Testing

@testable import FlexSyncCore
@testable import FlexSyncServerStore
@testable import FlexSyncStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Each migration runs once, in order, as a whole or not at all.
@Suite struct MigratorTests {
  private static let numbers = Migration("numbers") {
    try $0.execute("CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2)")
  }
  private static let doubles = Migration("doubled numbers") {
    try $0.execute("ALTER TABLE numbers ADD COLUMN double INTEGER; UPDATE numbers SET double = 2 * n")
  }
  private static let total = Migration("their total") {
    try $0.execute("CREATE TABLE total AS SELECT sum(double) AS sum FROM numbers")
  }
  private static let broken = Migration("a broken one") {
    try $0.execute("DELETE FROM numbers; INSERT INTO nowhere VALUES (1)")
  }

  let folder = TemporaryFolder()
  var path: String { folder.file("test.flexsync") }

  private func open(_ migrations: [Migration], isReadOnly: Bool = false) throws -> Database {
    try Database.open(path, .objects.withMigrations(migrations), isReadOnly: isReadOnly)
  }

  private func openingFailure(_ migrations: [Migration], isReadOnly: Bool = false) -> StorageError? {
    #expect(throws: StorageError.self) { _ = try open(migrations, isReadOnly: isReadOnly) }
  }

  // MARK: Order

  @Test func aNewFileGetsAllMigrationsInTheirOrder() throws {
    let database = try open([Self.numbers, Self.doubles, Self.total])
    #expect(try database.integer("SELECT sum FROM total") == 6)
    #expect(try database.integer("PRAGMA user_version") == 4)
    #expect(database.upgrade.isEmpty)
  }

  @Test func anExistingFileGetsThoseThatItLacks() throws {
    try open([Self.numbers]).execute("INSERT INTO numbers VALUES (10)")
    let database = try open([Self.numbers, Self.doubles, Self.total])
    #expect(database.upgrade == ["doubled numbers", "their total"])
    #expect(try database.integer("SELECT sum FROM total") == 26)
    #expect(try open([Self.numbers, Self.doubles, Self.total]).upgrade.isEmpty)
  }

  @Test(arguments: [DatabaseConfiguration.Application.realm, .server])
  func noTwoMigrationsHaveTheSameName(application: DatabaseConfiguration.Application) {
    let names = application.migrator.migrations.map(\.name)
    #expect(Set(names).count == names.count)
  }

  // MARK: Several connections

  @Test func aMigrationRunsOnceIfSeveralConnectionsOpenTheFileAtOnce() async throws {
    _ = try open([Self.numbers])
    let runCount = Atomic(0)
    try await withThrowingTaskGroup { group in
      let slow = Migration("slow") {
        runCount.add(1, ordering: .relaxed)
        try $0.execute("CREATE TABLE once (n INTEGER)")
        // The others see an old file meanwhile, and wait for the lock.
        usleep(100_000)
      }
      for _ in 0..<4 {
        group.addTask { try open([Self.numbers, slow]).integer("SELECT count(*) FROM once") }
      }
      try await group.waitForAll()
    }
    #expect(runCount.load(ordering: .relaxed) == 1)
  }

  @Test func aConnectionToTheOldFormatSeesTheNewTablesWithItsNextTransaction() throws {
    let old = try open([Self.numbers])
    try old.beginRead()
    _ = try open([Self.numbers, Self.doubles])
    #expect(try old.shape().contains { $0.hasPrefix("numbers.double") } == false)
    try old.endRead()
    #expect(try old.integer("SELECT sum(double) FROM numbers") == 6)
  }

  // MARK: Failures

  @Test func aFailedMigrationChangesNothingAndIsNamed() throws {
    let values = try open([Self.numbers]).values()
    let error = openingFailure([Self.numbers, Self.doubles, Self.broken])
    #expect(error?.kind == .statement)
    #expect(error?.message.contains("'\(path)' cannot be upgraded to format 4") == true)
    #expect(error?.message.contains("migration 'a broken one'") == true)
    #expect(error?.message.contains("nowhere") == true)
    #expect(try open([Self.numbers]).values() == values)
    #expect(try open([Self.numbers, Self.doubles]).upgrade == ["doubled numbers"])
  }

  @Test func aProcessThatIsKilledWithinAMigrationLeavesTheOldFile() throws {
    _ = try open([Self.numbers])
    let (path, copy) = (path, folder.file("copy"))
    let killed = Migration("killed") { database in
      // Enough to spill pages into the log before the commit.
      try database.execute(
        """
        PRAGMA cache_size=10; DELETE FROM numbers;
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
          INSERT INTO numbers SELECT i FROM n
        """
      )
      for suffix in ["", "-wal"] { try copyFile(path + suffix, to: copy + suffix) }
    }
    _ = try open([Self.numbers, killed])
    let left = try Database.open(copy, .objects.withMigrations([Self.numbers]))
    #expect(try left.integer("SELECT count(*) FROM numbers") == 2)
    #expect(try left.integrityProblems().isEmpty)
  }

  @Test func anImpossibleFormatIsReported() throws {
    try open([Self.numbers]).execute("PRAGMA user_version=-5")
    #expect(openingFailure([Self.numbers])?.kind == .corrupt)
  }

  // MARK: Other versions

  @Test(arguments: [false, true])
  func aNewerFileIsRefusedAndLeftAlone(isReadOnly: Bool) throws {
    // A copy, as a backup makes it, would be switched to another journal mode if it were opened.
    try DatabaseFiles.copy(try open([Self.numbers, Self.doubles]), to: folder.file("copy"))
    let before = try readFile(folder.file("copy"))
    let error = #expect(throws: StorageError.self) {
      _ = try Database.open(
        folder.file("copy"),
        .objects.withMigrations([Self.numbers]),
        isReadOnly: isReadOnly
      )
    }
    #expect(error?.kind == .newerFormat)
    let message = error?.message ?? ""
    #expect(message.contains("copy' has format 3") && message.contains("reads formats up to 2"))
    #expect(try readFile(folder.file("copy")) == before)
  }

  @Test func aFileThatIsOnlyReadKeepsItsFormat() throws {
    _ = try open([Self.numbers])
    let database = try open([Self.numbers, Self.doubles], isReadOnly: true)
    #expect(try database.integer("SELECT count(*) FROM numbers") == 2)
    #expect(try database.integer("PRAGMA user_version") == 2)
  }
}

private func readFile(_ path: String) throws -> [UInt8] {
  let file = try #require(fopen(path, "rb"))
  defer { fclose(file) }
  fseek(file, 0, SEEK_END)
  var bytes = [UInt8](repeating: 0, count: ftell(file))
  rewind(file)
  _ = fread(&bytes, 1, bytes.count, file)
  return bytes
}

private func copyFile(_ path: String, to copy: String) throws {
  let bytes = try readFile(path)
  let file = try #require(fopen(copy, "wb"))
  defer { fclose(file) }
  #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}
