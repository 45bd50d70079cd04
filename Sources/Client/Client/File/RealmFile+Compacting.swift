// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

extension RealmFile {
  /// Compacts the file if the program wants that. It is skipped if another process is using the file.
  ///
  /// - Parameters:
  ///   - isAlone: whether no other process has the file open. While one reads, the file would only become larger.
  ///   - isDue: gets the size of the file and the part of it that is in use, in bytes.
  func compact(isAlone: Bool, if isDue: (_ totalByteCount: UInt64, _ usedByteCount: UInt64) -> Bool) throws {
    let sizes = try database.byteCounts()
    guard isDue(sizes.total, sizes.used) else { return }
    guard isAlone else {
      return Log.write(.info, "'\(database.path)' is open in another process and was not compacted")
    }
    do {
      try database.compact()
    } catch let error as StorageError where error.kind == .busy {
      Log.write(.info, "'\(database.path)' is in use and was not compacted")
    }
  }
}
