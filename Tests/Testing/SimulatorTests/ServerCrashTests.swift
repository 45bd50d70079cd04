// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore
import FlexSyncSimulator
import FlexSyncStore
import FlexSyncTestSupport
import Testing

/// What a server's store keeps after a crash at any operation: everything that it was told to make durable.
@Suite struct ServerCrashTests {
  /// Commits numbers in order, some of them lazily.
  private struct Program {
    /// The last number that is committed, and the last one that was made durable.
    var committed: Int64 = 0
    var durable: Int64 = 0

    mutating func run(_ mounted: MountedDisk, seed: UInt64) throws {
      let store = try ServerStore(path: mounted.disk.path("data.sqlite"))
      var generator = SeededGenerator(seed: seed)
      for number in 1...40 as ClosedRange<Int64> {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          try store.write { try change(store, to: number) }
          (committed, durable) = (number, number)
        case 1:
          // Nothing changes, but what came before is to be durable as well.
          try store.write {}
          durable = committed
          continue
        case 2:
          try store.makeDurable(through: store.newestLazyCommit)
          durable = committed
          continue
        default:
          try store.writeLazily { try change(store, to: number) }
          committed = number
        }
      }
    }

    /// Two changes that belong together.
    private func change(_ store: ServerStore, to number: Int64) throws {
      try store.set("first", to: number)
      try store.set("last", to: number)
    }
  }

  private func crashEverywhere(
    _ crash: SimulatedDisk.Crash,
    seed: UInt64,
    check: (_ found: Int64, Program) -> Void
  ) throws {
    var change = 1
    while true {
      let mounted = MountedDisk(seed: seed &+ UInt64(change))
      var program = Program()
      mounted.disk.crash(crash, duringChange: change)
      do {
        try program.run(mounted, seed: seed)
      } catch is StorageError {
        #expect(mounted.disk.isCrashed)
      }
      guard mounted.disk.isCrashed else { break }
      mounted.disk.restart()
      let store = try ServerStore(path: mounted.disk.path("data.sqlite"))
      #expect(try store.database.isSound)
      let found = try store.setting("last") ?? 0
      #expect(try store.setting("first") ?? 0 == found)
      check(found, program)
      change += 2
    }
    #expect(change > 50)
  }

  @Test func aKilledServerLosesNothing() throws {
    try crashEverywhere(.processKilled, seed: 1) { found, program in #expect(found >= program.committed) }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func aLossOfPowerTakesNothingThatWasMadeDurable(seed: UInt64) throws {
    try crashEverywhere(.powerLost, seed: seed << 20) { found, program in #expect(found >= program.durable) }
  }
}
