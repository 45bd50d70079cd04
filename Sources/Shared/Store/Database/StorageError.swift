// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// An error of a database file, worded for someone who can act on it.
public struct StorageError: Error, Hashable, Sendable {
  /// The kinds of errors that a program can distinguish.
  public enum Kind: String, Hashable, Sendable {
    /// The folder of the file does not exist.
    case directoryMissing
    /// The file system refuses access to the file or its folder.
    case permissionDenied
    /// The file, or the entire volume, is read-only.
    case readOnly
    /// The file cannot be opened for another reason, for example because its path is a folder.
    case cannotOpen
    /// The file does not contain a database.
    case notADatabase
    /// A SQLite database of another program, or the other kind of FlexSync file.
    case foreignFile
    /// Written by a newer version of FlexSync.
    case newerFormat
    /// The contents are inconsistent.
    case corrupt
    /// No space is left.
    case diskFull
    /// The device reported an error.
    case inputOutput
    /// Another thread or process held the write lock longer than the busy timeout.
    case busy
    /// Another sync client, in this or another process, is already syncing the file.
    case syncAgentActive
    /// The realm has a different owner: a local realm was opened as synced or vice versa, or it belongs to another
    /// user.
    case incompatibleFile
    /// A value or changeset exceeds SQLite's size limit.
    case tooLarge
    /// Memory is exhausted.
    case outOfMemory
    /// A declaration uses a feature that FlexSync cannot store yet.
    case unsupportedSchema
    /// A declaration contradicts the existing contents of the file.
    case schemaConflict
    /// The call does not match the state of the database, such as a write outside a write transaction.
    case misuse
    /// The statement was ended early because it took too long or the process is shutting down.
    case interrupted
    /// SQLite rejected a statement. Indicates a defect in FlexSync or in a query passed to it.
    case statement
  }

  /// The kind of the error.
  public let kind: Kind
  /// A description of what happened, to which file, and what to do about it.
  public let message: String
  /// SQLite's extended result code, or 0 if SQLite did not report the error.
  public let resultCode: Int32

  /// Creates an error. `resultCode` is SQLite's extended code.
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
  /// Returns an error for a declaration of something that cannot be stored yet.
  static func unsupported(_ feature: String, className: String, property: String?) -> StorageError {
    let place = property.map { "Property '\(className).\($0)'" } ?? "Class '\(className)'"
    return StorageError(
      kind: .unsupportedSchema,
      message: "\(place): FlexSync does not support \(feature). Change the schema."
    )
  }

  /// Returns an error for a declaration that contradicts the file.
  static func conflict(className: String, property: String?, _ difference: String, _ advice: FileAdvice)
    -> StorageError
  {
    let place = property.map { "Property '\(className).\($0)'" } ?? "Class '\(className)'"
    return StorageError(
      kind: .schemaConflict,
      message: "\(place) is declared differently in \(advice.declarer): \(difference). \(advice.conflict)."
    )
  }

  /// Returns an error for contents that make no sense.
  package static func damaged(_ database: Database, _ text: String) -> StorageError {
    StorageError(
      kind: .corrupt,
      message: "'\(database.path)' is damaged: \(text.clause). \(database.advice.damaged)."
    )
  }

  package static func misuse(_ message: String) -> StorageError {
    StorageError(kind: .misuse, message: message)
  }
}
