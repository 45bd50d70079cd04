// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// SQLite's locks on one file (sqlite.org/lockingv3.html): any number of readers, one of which may be about to write.
final class FileLocks {
  private var readerCount = 0
  private var reserved: ObjectIdentifier?
  private var pending: ObjectIdentifier?

  var isReserved: Bool { reserved != nil || pending != nil }

  /// Raises the lock of a holder.
  ///
  /// - Returns: Whether the lock was granted. Otherwise it may still have been raised to `SQLITE_LOCK_PENDING`.
  func raise(_ level: inout Int32, to wanted: Int32, for holder: ObjectIdentifier) -> Bool {
    guard level < wanted else { return true }
    if level == SQLITE_LOCK_NONE {
      guard pending == nil else { return false }
      readerCount += 1
      level = SQLITE_LOCK_SHARED
    }
    guard wanted > SQLITE_LOCK_SHARED else { return true }
    guard reserved == nil || reserved == holder, pending == nil || pending == holder else { return false }
    if wanted == SQLITE_LOCK_RESERVED {
      reserved = holder
      level = wanted
      return true
    }
    pending = holder
    level = SQLITE_LOCK_PENDING
    guard readerCount == 1 else { return false }
    level = SQLITE_LOCK_EXCLUSIVE
    return true
  }

  /// Lowers the lock of a holder to shared or none.
  func lower(_ level: inout Int32, to wanted: Int32, for holder: ObjectIdentifier) {
    guard level > wanted else { return }
    if reserved == holder { reserved = nil }
    if pending == holder { pending = nil }
    if wanted == SQLITE_LOCK_NONE { readerCount -= 1 }
    level = wanted
  }
}
