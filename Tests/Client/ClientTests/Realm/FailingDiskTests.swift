// SPDX-License-Identifier: Apache-2.0

import FlexSyncSimulator
import Synchronization
import Testing

/// A write transaction on a disk that fails in the middle of it.
@Suite struct FailingDiskTests {
  private static let diskCount = Atomic(0)

  /// Runs `body` with a path on a disk of its own.
  private func withDisk(_ body: (SimulatedDisk, String) throws -> Void) throws {
    let number = Self.diskCount.add(1, ordering: .relaxed).newValue
    let disk = SimulatedDisk(name: "core\(number)", seed: 1)
    SimulatedFileSystem.mount(disk)
    defer { SimulatedFileSystem.unmount(disk) }
    try body(disk, disk.path("tasks.realm"))
  }

  private func create(_ keys: ClosedRange<Int64>, in realm: TestRealm, ignoringErrors: Bool) throws {
    for key in keys {
      do {
        try realm.create("Task", .int(key), ["name": .string(String(repeating: "x", count: 2000))])
      } catch  where ignoringErrors && error is Failure {
        continue
      }
    }
  }

  /// Two handles see the same number of tasks.
  private func expectCount(_ count: Int, _ handles: [TestRealm]) throws {
    for handle in handles {
      try handle.refresh()
      #expect(try handle.objects("Task").count == count)
    }
  }

  /// Lets a write fail, and checks that nothing of it is there and that the next one succeeds.
  ///
  /// - Returns: the error.
  private func fail(_ disk: SimulatedDisk, _ path: String, ignoringErrors: Bool, _ fault: () -> Void) throws
    -> Failure?
  {
    let (realm, other) = (try TestRealm(path: path), try TestRealm(path: path))
    try realm.write { try create(0...0, in: realm, ignoringErrors: false) }
    try expectCount(1, [realm, other])
    fault()
    var failure: Failure?
    do {
      try realm.write { try create(1...40, in: realm, ignoringErrors: ignoringErrors) }
    } catch let error as Failure {
      failure = error
      // The program cancels if it still can.
      do { try realm.cancel() } catch let error as Failure { #expect(error.status != .FLX_STATUS_INTERNAL) }
    }
    disk.clearFaults()
    disk.capacity = nil
    let count = failure == nil ? 41 : 1
    try expectCount(count, [realm, other])
    try realm.write { try create(100...100, in: realm, ignoringErrors: false) }
    try other.write { try create(101...101, in: other, ignoringErrors: false) }
    try expectCount(count + 2, [realm, other])
    return failure
  }

  @Test(arguments: [1, Int.max], [false, true])
  func nothingOfAWriteThatFailsHasHappened(repetitions: Int, ignoringErrors: Bool) throws {
    var (number, failures) = (1, 0)
    var isOver = false
    while !isOver {
      try withDisk { disk, path in
        let failure = try fail(disk, path, ignoringErrors: ignoringErrors) {
          disk.fail(nil, number: number, repetitions: repetitions)
        }
        isOver = disk.statistics.injectedFailures == 0
        guard let failure else { return }
        failures += 1
        #expect(failure.status == .FLX_STATUS_IO, "\(failure)")
      }
      number += 1
    }
    #expect(failures > 10)
  }

  @Test(arguments: [false, true])
  func nothingOfAWriteOnAFullDiskHasHappened(ignoringErrors: Bool) throws {
    var (room, isOver) = (0, false)
    while !isOver {
      try withDisk { disk, path in
        let failure = try fail(disk, path, ignoringErrors: ignoringErrors) {
          disk.capacity = disk.usedBytes + room
        }
        isOver = disk.statistics.fullFailures == 0
        guard let failure else { return }
        #expect(failure.status == .FLX_STATUS_DISK_FULL, "\(failure)")
      }
      room += 4000
    }
    #expect(room > 50_000)
  }
}
