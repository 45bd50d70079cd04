// SPDX-License-Identifier: Apache-2.0

extension Realm {
  /// Deletes the files of a realm that is not open. Returns false if there were none.
  ///
  /// - Throws: `Realm.Error` with code `alreadyOpen` while it is open in this process.
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    try configuration.deleteFiles()
  }

  /// Whether the file of a configuration exists. A realm in memory has none.
  public static func fileExists(for configuration: Configuration) -> Bool {
    configuration.fileExists
  }
}
