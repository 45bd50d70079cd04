// SPDX-License-Identifier: Apache-2.0

/// Settings that all open handles of a realm share.
struct SharedSettings: Equatable, Sendable {
  let isReadOnly: Bool
  /// The version of the schema; nil for a handle that does not number it.
  let schemaVersion: UInt64?

  /// - Throws: `CoreError` ALREADY_OPEN if these settings differ from those of another handle of the same realm.
  func requireAgreement(with other: SharedSettings, path: String) throws {
    guard isReadOnly == other.isReadOnly else {
      throw CoreError(.alreadyOpen, "Realm at path '\(path)' already opened with different read permissions.")
    }
    guard let schemaVersion, let otherVersion = other.schemaVersion, schemaVersion != otherVersion else {
      return
    }
    throw CoreError(.alreadyOpen, "Realm at path '\(path)' already opened with different schema version.")
  }
}
