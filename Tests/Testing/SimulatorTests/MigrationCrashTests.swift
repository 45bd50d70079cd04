// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncServerStore
import FlexSyncSimulator
import FlexSyncStore
import FlexSyncTestSupport
import Testing

/// What a file holds after its upgrade was interrupted at any operation: the old format with everything that was there,
/// or the new one.
@Suite struct MigrationCrashTests {
  /// A file to upgrade, its kind, and the values and tables before and after.
  private struct Upgrade {
    let early: EarlyFile
    let application: DatabaseConfiguration.Application
    let name = "upgraded"
    let before: Set<String>
    let newShape: [String]

    init(_ early: EarlyFile, _ application: DatabaseConfiguration.Application) throws {
      (self.early, self.application) = (early, application)
      let mounted = MountedDisk()
      try early.write(to: mounted.disk.path(name), application)
      before = try Database.open(mounted.disk.path(name), application.withMigrations([])).values()
      newShape = try Database.open(mounted.disk.path("new"), application).shape()
    }

    func makeDisk(seed: UInt64) throws -> MountedDisk {
      let mounted = MountedDisk(seed: seed)
      try early.write(to: mounted.disk.path(name), application)
      return mounted
    }

    func run(_ mounted: MountedDisk) throws { _ = try Database.open(mounted.disk.path(name), application) }

    /// Checks a file after an interruption, and upgrades it.
    ///
    /// - Returns: whether the interrupted upgrade had already happened.
    func check(_ mounted: MountedDisk) throws -> Bool {
      let path = mounted.disk.path(name)
      var isUpgraded = false
      do {
        let old = try Database.open(path, application.withMigrations([]))
        #expect(try old.isSound && old.values() == before)
      } catch let error as StorageError where error.kind == .newerFormat {
        isUpgraded = true
      }
      let database = try Database.open(path, application)
      #expect(try database.isSound)
      #expect(try database.shape() == newShape)
      #expect(try EarlyFile.lasting(before).isSubset(of: database.values()))
      return isUpgraded
    }
  }

  private static func upgrades() throws -> [Upgrade] {
    // The first ones move rows to other tables, and the last ones have most of what there is to keep.
    try [EarlyFile.realms[2], EarlyFile.realms[6]].map { try Upgrade($0, .realm) }
      + [EarlyFile.stores[2], EarlyFile.stores[13]].map { try Upgrade($0, .server) }
  }

  @Test(arguments: [SimulatedDisk.Crash.processKilled, .powerLost])
  func aCrashLeavesTheOldFileOrTheNewOne(crash: SimulatedDisk.Crash) throws {
    for upgrade in try Self.upgrades() {
      var change = 1
      var (oldCount, newCount) = (0, 0)
      while true {
        let mounted = try upgrade.makeDisk(seed: UInt64(change))
        mounted.disk.crash(crash, duringChange: change)
        do {
          try upgrade.run(mounted)
        } catch is StorageError {
          #expect(mounted.disk.isCrashed)
        }
        guard mounted.disk.isCrashed else { break }
        mounted.disk.restart()
        if try upgrade.check(mounted) { newCount += 1 } else { oldCount += 1 }
        change += 1
      }
      #expect(change > 10)
      #expect(oldCount > 0, "\(upgrade.application): the upgrade made \(change) changes")
      #expect(newCount > 0, "\(upgrade.application): the upgrade made \(change) changes")
    }
  }

  @Test func aFullDiskLeavesTheOldFile() throws {
    for upgrade in try Self.upgrades() {
      var failureCount = 0
      while true {
        let mounted = try upgrade.makeDisk(seed: 1)
        // Room for the memory that connections share, and each time for more of the new tables.
        mounted.disk.capacity = mounted.disk.usedBytes + 32_768 + failureCount * 1_024
        do {
          try upgrade.run(mounted)
          break
        } catch let error as StorageError {
          #expect(error.kind == .diskFull && error.message.contains("cannot be upgraded to format"))
        }
        failureCount += 1
        mounted.disk.capacity = nil
        #expect(try !upgrade.check(mounted))
      }
      #expect(failureCount > 0)
    }
  }
}
