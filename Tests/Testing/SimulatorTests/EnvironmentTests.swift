// SPDX-License-Identifier: Apache-2.0

import FlexSyncSimulator
import FlexSyncStore
import Synchronization
import Testing

/// Where SQLite gets the time from, and sleep.
@Suite struct EnvironmentTests {
  private final class FrozenTime: FileSystemEnvironment {
    let slept = Atomic(0)
    let unixMilliseconds: Int64 = 1_000_000_000_000

    func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) {
      buffer.initializeMemory(as: UInt8.self, repeating: 7)
    }
    func sleep(microseconds: Int) { slept.add(microseconds, ordering: .relaxed) }
  }

  @Test func aThreadCanHaveATimeOfItsOwn() throws {
    let time = FrozenTime()
    SimulatedFileSystem.use(time)
    defer { SimulatedFileSystem.use(nil) }
    let mounted = MountedDisk()
    let database = try mounted.open()
    #expect(try database.texts("SELECT datetime('now')") == ["2001-09-09 01:46:40"])
    var configuration = mounted.configuration()
    configuration.busyTimeoutMilliseconds = 60_000
    let waiting = try Database.open(configuration)
    try database.beginWrite()
    // A minute passes for SQLite alone.
    #expect(throws: StorageError.self) { try waiting.beginWrite() }
    #expect(time.slept.load(ordering: .relaxed) > 50_000_000)
    try database.rollback()
  }

  @Test func theSystemsTimeIsTheDefault() throws {
    let year = try MountedDisk().open().integers("SELECT CAST(strftime('%Y', 'now') AS INTEGER)")
    #expect(year.allSatisfy { $0 > 2001 })
  }
}
