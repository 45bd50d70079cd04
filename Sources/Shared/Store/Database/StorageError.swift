// SPDX-License-Identifier: Apache-2.0

/// What went wrong with a database file, in words for a person who can do something about it.
public struct StorageError: Error, Hashable, Sendable {
  /// The cases that a program can tell apart.
  public enum Kind: String, Hashable, Sendable {
    /// The folder of the file does not exist.
    case directoryMissing
    /// The file system refuses access to the file or its folder.
    case permissionDenied
    /// The file, or the whole volume, can be read only.
    case readOnly
    /// The file cannot be opened for another reason, for example because its path is a folder.
    case cannotOpen
    /// The bytes are no database.
    case notADatabase
    /// A SQLite database, but of another program or of the other kind of FlexSync file.
    case foreignFile
    /// Written by a newer version of FlexSync.
    case newerFormat
    /// The content contradicts itself.
    case corrupt
    /// No space is left.
    case diskFull
    /// The device reported an error.
    case inputOutput
    /// Another thread or process held the write lock longer than the busy timeout.
    case busy
    /// Another sync client, here or in another process, already syncs the file.
    case syncAgentActive
    /// The realm has another owner: a local realm opened as synced or the reverse, or another user's.
    case incompatibleFile
    /// A value, or a changeset, beyond SQLite's limit.
    case tooLarge
    /// Memory is exhausted.
    case outOfMemory
    /// A declaration uses something that FlexSync does not store yet.
    case unsupportedSchema
    /// A declaration contradicts what the file already holds.
    case schemaConflict
    /// The call does not fit the state of the database, for example a write outside a write transaction.
    case misuse
    /// The statement was ended before it was done, because it took too long or the process is to end.
    case interrupted
    /// SQLite refused a statement; a defect of FlexSync or of a query given to it.
    case statement
  }

  /// What kind of problem it is.
  public let kind: Kind
  /// What happened, on which file, and what to do about it.
  public let message: String
  /// The extended result code of SQLite, or 0 if the error is not SQLite's.
  public let resultCode: Int32

  /// Creates an error; `resultCode` is SQLite's extended code.
  public init(kind: Kind, message: String, resultCode: Int32 = 0) {
    self.kind = kind
    self.message = message
    self.resultCode = resultCode
  }
}

extension StorageError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension StorageError {
  /// A declaration of something that is not stored yet.
  static func unsupported(_ feature: String, className: String, property: String?) -> StorageError {
    let place = property.map { "Property '\(className).\($0)'" } ?? "Class '\(className)'"
    return StorageError(
      kind: .unsupportedSchema,
      message: "\(place) uses \(feature), which FlexSync cannot store yet. Remove it from the schema."
    )
  }

  /// A declaration that contradicts the file.
  static func conflict(className: String, property: String?, _ difference: String) -> StorageError {
    let place = property.map { "Property '\(className).\($0)'" } ?? "Class '\(className)'"
    return StorageError(
      kind: .schemaConflict,
      message: "\(place) is declared differently from what the file holds: \(difference). "
        + "Use a new name, or delete the file."
    )
  }

  package static func misuse(_ message: String) -> StorageError {
    StorageError(kind: .misuse, message: message)
  }
}
