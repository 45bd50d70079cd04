// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// The bytes of a file, as processes see them and as the device has them.
final class SimulatedFile {
  /// What processes see: everything that was written.
  private(set) var content: [UInt8] = []
  /// What survives a loss of power for sure: everything up to the last sync.
  private(set) var durable: [UInt8] = []
  /// What was changed since then, in order.
  private(set) var unsynced: [UnsyncedChange] = []
  /// The locks of those who have the file open.
  private(set) var locks = FileLocks()
  /// The memory that they share, for as long as one of them has it mapped.
  weak var sharedMemory: SharedMemory?

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let count = max(0, min(target.count, content.count - offset))
    guard count > 0 else { return 0 }
    content.withUnsafeBytes {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
    }
    return count
  }

  func write(_ bytes: [UInt8], at offset: Int) {
    guard !bytes.isEmpty else { return }
    change(.write(bytes: bytes, offset: offset))
  }

  func resize(to size: Int) { change(.resize(size)) }

  private func change(_ change: UnsyncedChange) {
    change.apply(to: &content)
    unsynced.append(change)
  }

  func sync() {
    for change in unsynced { change.apply(to: &durable) }
    unsynced = []
  }

  /// What those who had the file open shared and locked ends with them.
  func forgetUsers() {
    locks = FileLocks()
    sharedMemory = nil
  }

  /// Takes back what did not reach the device in time; the generator says what did.
  func losePower(using generator: inout SeededGenerator) {
    content = PowerLoss.survivingContent(of: durable, unsynced, using: &generator)
    durable = content
    unsynced = []
  }
}
