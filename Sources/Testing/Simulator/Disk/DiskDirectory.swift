// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// The directory of a disk. Like the bytes of a file, an added or removed name reaches the device only with a sync.
/// Changes reach the device in order.
struct DiskDirectory {
  private enum Change {
    case create(String, SimulatedFile)
    case delete(String)
  }

  /// The files as processes see them.
  private(set) var files: [String: SimulatedFile] = [:]
  private var durable: [String: SimulatedFile] = [:]
  private var unsynced: [Change] = []

  var usedBytes: Int {
    files.values.reduce(0) { $0 + $1.content.count + ($1.sharedMemory?.byteCount ?? 0) }
  }

  mutating func create(_ path: String) -> SimulatedFile {
    let file = SimulatedFile()
    files[path] = file
    unsynced.append(.create(path, file))
    return file
  }

  mutating func delete(_ path: String) {
    files[path] = nil
    unsynced.append(.delete(path))
  }

  mutating func sync() {
    durable = files
    unsynced = []
  }

  /// Records that a file was synced. The first sync of a new file makes its name durable, along with all earlier
  /// changes of names.
  mutating func didSync(_ file: SimulatedFile) {
    let isNew = unsynced.contains {
      if case .create(_, let created) = $0 { created === file } else { false }
    }
    if isNew { sync() }
  }

  /// Drops the locks and shared memory of all processes that had files open.
  func forgetUsers() {
    for file in files.values { file.forgetUsers() }
  }

  mutating func losePower(using generator: inout SeededGenerator) {
    for change in unsynced.prefix(generator.number(below: unsynced.count + 1)) {
      switch change {
      case .create(let path, let file): durable[path] = file
      case .delete(let path): durable[path] = nil
      }
    }
    files = durable
    unsynced = []
    for (_, file) in files.sorted(by: { $0.key < $1.key }) { file.losePower(using: &generator) }
  }
}
