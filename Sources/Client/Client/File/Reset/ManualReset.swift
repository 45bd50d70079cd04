// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// A reset left to the app: the file is backed up and deleted, and so created anew on the next open (protocol
/// §9.5).
public enum ManualReset {
  /// Backs up and deletes the file if that is due. The file must not be open anywhere.
  ///
  /// If interrupted, the next call starts over.
  ///
  /// - Parameter makeFolder: creates the folder of the backup, given its path.
  /// - Returns: whether the reset was due.
  /// - Throws: `StorageError`, and what `makeFolder` throws.
  public static func perform(
    _ configuration: DatabaseConfiguration,
    owner: RealmOwner,
    makeFolder: (String) throws -> Void
  ) throws -> Bool {
    guard case .file(let path) = configuration.location, DatabaseFiles.exist(at: path) else { return false }
    guard try backUp(RealmFile.open(configuration, owner: owner), makeFolder) else { return false }
    try DatabaseFiles.delete(at: path)
    return true
  }

  private static func backUp(_ file: RealmFile, _ makeFolder: (String) throws -> Void) throws -> Bool {
    guard let record = try file.clientReset(), record.stage == .manual else { return false }
    if let slash = record.text.lastIndex(of: "/") { try makeFolder(String(record.text[..<slash])) }
    try DatabaseFiles.copy(file.database, to: record.text)
    // Clear the record in the backup, or the backup would be deleted when opened.
    let backup = try RealmFile.open(configuration(of: file, at: record.text), owner: file.owner)
    try backup.setClientReset(nil)
    return true
  }

  private static func configuration(of file: RealmFile, at path: String) -> DatabaseConfiguration {
    var configuration = file.database.configuration
    configuration.location = .file(path)
    return configuration
  }
}
