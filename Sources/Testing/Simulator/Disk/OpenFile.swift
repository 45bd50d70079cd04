// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A file opened by a connection.
final class OpenFile {
  let disk: SimulatedDisk
  let path: String
  let file: SimulatedFile
  let isDeletedOnClose: Bool
  /// The epoch of the disk in which the file was opened. After a crash, the file is unusable.
  let epoch: Int
  let locks: FileLocks
  var lockLevel = SQLITE_LOCK_NONE
  var sharedMemory: SharedMemory?
  var sharedHoldings = SharedMemory.Holdings()

  init(disk: SimulatedDisk, path: String, file: SimulatedFile, isDeletedOnClose: Bool, epoch: Int) {
    self.disk = disk
    self.path = path
    self.file = file
    self.isDeletedOnClose = isDeletedOnClose
    self.epoch = epoch
    locks = file.locks
  }

  func lowerLock(to level: Int32) { locks.lower(&lockLevel, to: level, for: ObjectIdentifier(self)) }

  func unmap() {
    sharedMemory?.unlockAll(&sharedHoldings)
    sharedMemory = nil
  }
}
