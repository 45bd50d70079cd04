// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

extension RealmFile {
  /// Compacts the file if the program wants that. It is skipped if another process is using the file.
  ///
  /// - Parameter isDue: gets the size of the file and the part of it that is in use, in bytes.
  func compact(if isDue: (_ totalByteCount: UInt64, _ usedByteCount: UInt64) -> Bool) throws {
    let sizes = try database.byteCounts()
    guard isDue(sizes.total, sizes.used) else { return }
    do {
      try database.compact()
    } catch let error as StorageError where error.kind == .busy {
      Log.write(.info, "'\(database.path)' is in use and was not compacted")
    }
  }
}
