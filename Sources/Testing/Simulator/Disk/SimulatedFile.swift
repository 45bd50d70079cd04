// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// The content of a file, as processes see it and as the device has it.
final class SimulatedFile {
  /// The content that processes see, with everything that was written.
  private(set) var content: [UInt8] = []
  /// The content that is guaranteed to survive a power loss: everything up to the last sync.
  private(set) var durable: [UInt8] = []
  /// The changes since the last sync, in order.
  private(set) var unsynced: [UnsyncedChange] = []
  /// The locks of the connections that have the file open.
  private(set) var locks = FileLocks()
  /// The memory that these connections share, while any of them has it mapped.
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

  /// Drops the locks and shared memory of the connections that had the file open.
  func forgetUsers() {
    locks = FileLocks()
    sharedMemory = nil
  }

  /// Undoes what did not reach the device in time, as the generator decides.
  func losePower(using generator: inout SeededGenerator) {
    content = PowerLoss.survivingContent(of: durable, unsynced, using: &generator)
    durable = content
    unsynced = []
  }
}
