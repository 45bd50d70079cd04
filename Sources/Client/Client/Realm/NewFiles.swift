// SPDX-License-Identifier: Apache-2.0

/// The files that opening a realm has made, to be removed if it fails. Used while the realm's `openingLock` is held.
final class NewFiles {
  /// Whether the realm was copied from a seed file.
  var hasPlanted = false
  private var table: ProcessTable?
  private var isTableNew = false
  private var isFileNew = false
  private var generation: UInt64 = 0

  /// Notes what is there before the realm itself is opened or made.
  ///
  /// - Parameter table: the one that this process has just entered.
  func note(_ table: ProcessTable, isFileThere: Bool) {
    self.table = table
    generation = table.generation
    isTableNew = table.isNew
    // Another process may have opened the copy meanwhile.
    isFileNew = !isFileThere || hasPlanted && isTableNew
  }

  /// Removes what is new, unless another process has been there.
  func remove(at path: String) {
    guard let table, isFileNew || isTableNew else { return }
    table.leave()
    do {
      _ = try ProcessTable.whileUnused(path) {
        // Leaving the table has increased it by one.
        guard table.generation == generation + 1 else { return }
        for suffix in isFileNew ? RealmFiles.suffixes : [ProcessTable.suffix] {
          try FileSystem.remove(path + suffix)
        }
      }
    } catch {
      Log.write(.warn, "'\(path)' could not be opened, and its files could not be removed: \(error)")
    }
  }
}
