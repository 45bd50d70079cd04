// SPDX-License-Identifier: Apache-2.0

import FlexSyncSimulator
import FlexSyncStore
import Testing

/// What is left of commits after a crash at any operation.
@Suite struct CrashTests {
  /// A program that commits numbered transactions and checkpoints now and then.
  private struct Program {
    let mounted: MountedDisk
    let synchronous: DatabaseConfiguration.Synchronous
    var committed = 0

    mutating func run(transactions: Int) throws {
      let database = try mounted.open(synchronous: synchronous)
      // Small, so that the log starts over several times.
      try database.execute("PRAGMA wal_autocheckpoint=20; PRAGMA cache_size=10")
      try database.execute("CREATE TABLE IF NOT EXISTS numbers (id INTEGER PRIMARY KEY, filling)")
      for number in committed + 1...committed + transactions {
        try database.write {
          for part in 0..<3 {
            try database.execute(
              "INSERT INTO numbers VALUES (\(number * 3 + part), zeroblob(\(900 * (part + 1))))"
            )
          }
          if number % 4 == 0 {
            try database.execute("UPDATE numbers SET filling = zeroblob(10) WHERE id < \(number)")
          }
        }
        committed = number
        if number % 7 == 0 { try database.checkpoint() }
      }
    }
  }

  /// The number of transactions that are there; they have to be the first ones, each complete.
  private func survivors(_ mounted: MountedDisk) throws -> Int {
    let database = try mounted.open()
    #expect(try database.isSound)
    guard try !database.texts("SELECT 1 FROM sqlite_schema WHERE name = 'numbers'").isEmpty else { return 0 }
    let ids = try database.integers("SELECT id FROM numbers ORDER BY id")
    #expect(ids == (3..<3 + Int64(ids.count)).map { $0 })
    #expect(ids.count % 3 == 0)
    return ids.count / 3
  }

  /// Crashes at each operation in turn, and runs on afterwards.
  private func crashEverywhere(
    _ crash: SimulatedDisk.Crash,
    _ synchronous: DatabaseConfiguration.Synchronous,
    seed: UInt64,
    step: Int,
    check: (_ survived: Int, _ committed: Int) -> Void
  ) throws {
    var change = 1
    while true {
      let mounted = MountedDisk(seed: seed &+ UInt64(change))
      var program = Program(mounted: mounted, synchronous: synchronous)
      mounted.disk.crash(crash, duringChange: change)
      do {
        try program.run(transactions: 20)
      } catch is StorageError {
        #expect(mounted.disk.isCrashed)
      }
      guard mounted.disk.isCrashed else { break }
      mounted.disk.restart()
      let survived = try survivors(mounted)
      check(survived, program.committed)
      program.committed = survived
      try program.run(transactions: 5)
      #expect(try survivors(mounted) == survived + 5)
      change += step
    }
    #expect(change > 100)
  }

  @Test func aKilledProcessLosesNothing() throws {
    for level in [DatabaseConfiguration.Synchronous.full, .normal] {
      try crashEverywhere(.processKilled, level, seed: 1, step: 3) { survived, committed in
        // The transaction under way may have been complete.
        #expect((committed...committed + 1).contains(survived))
      }
    }
  }

  @Test(arguments: 1...4)
  func aLossOfPowerLosesNothingThatWasSynced(seed: UInt64) throws {
    try crashEverywhere(.powerLost, .full, seed: seed << 20, step: 5) { survived, committed in
      #expect((committed...committed + 1).contains(survived))
    }
  }

  @Test(arguments: 1...4)
  func aLossOfPowerLosesOnlyTheLastCommitsThatWereNotSynced(seed: UInt64) throws {
    var lost = 0
    try crashEverywhere(.powerLost, .normal, seed: seed << 20, step: 5) { survived, committed in
      #expect(survived <= committed + 1)
      if survived < committed { lost += 1 }
    }
    // Otherwise the disk would prove nothing.
    #expect(lost > 0)
  }

  @Test func aLossOfPowerCanDestroyAFileThatIsNeverSynced() throws {
    var destroyed = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      let mounted = MountedDisk(seed: seed)
      var program = Program(mounted: mounted, synchronous: .off)
      try program.run(transactions: 20)
      mounted.disk.crash(.powerLost)
      mounted.disk.restart()
      // A disk that never destroys anything would prove nothing.
      if (try? mounted.open().isSound) != true { destroyed += 1 }
    }
    #expect(destroyed > 0)
  }

  @Test func connectionsOfBeforeACrashAreOfNoUse() throws {
    let mounted = MountedDisk()
    let database = try mounted.open()
    try database.execute("CREATE TABLE t (x)")
    mounted.disk.crash(.processKilled)
    #expect(throws: StorageError.self) { try mounted.open() }
    mounted.disk.restart()
    let error = #expect(throws: StorageError.self) { try database.execute("INSERT INTO t VALUES (1)") }
    #expect(error?.kind == .inputOutput)
    let reopened = try mounted.open()
    try reopened.execute("INSERT INTO t VALUES (2)")
    #expect(try reopened.integers("SELECT x FROM t") == [2])
  }

  @Test func theSameSeedLeavesTheSame() throws {
    func remains() throws -> [[UInt8]?] {
      let mounted = MountedDisk(seed: 42)
      var program = Program(mounted: mounted, synchronous: .normal)
      mounted.disk.crash(.powerLost, duringChange: 60)
      #expect(throws: StorageError.self) { try program.run(transactions: 20) }
      mounted.disk.restart()
      // The log has random salts, which other tests have a share in; the file itself has none.
      return [mounted.disk.contents(mounted.disk.path("test.flexsync"))]
    }
    #expect(try remains() == remains())
  }
}
