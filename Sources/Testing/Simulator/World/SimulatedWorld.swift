// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncTestSupport
import Synchronization

/// The environment shared by the processes of a simulation: the time, and SQLite's environment.
final class SimulatedWorld: FileSystemEnvironment, @unchecked Sendable {
  let time = SimulatedTime()
  private var random: SeededGenerator

  /// The start of the world in milliseconds since 1970: 2026-01-01.
  static let beginning: Int64 = 1_767_225_600_000

  init(random: SeededGenerator) { self.random = random }

  var unixMilliseconds: Int64 { Self.beginning + Int64(time.now) }

  func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) {
    for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Does nothing, since waiting for a lock in a world with one thread is in vain.
  func sleep(microseconds: Int) {}
}
