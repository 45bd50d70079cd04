// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Realm {
  /// An error of a realm: its file, schema, objects, queries or subscriptions.
  public struct Error: Swift.Error, Sendable {
    /// The kind of error. Numbers are those of the Realm Swift SDK if it has the case.
    public enum Code: Int, Sendable {
      case fail = 1
      case fileAccess = 2
      case filePermissionDenied = 3
      case fileExists = 4
      case fileNotFound = 5
      case fileFormatUpgradeRequired = 6
      case incompatibleLockFile = 8
      case addressSpaceExhausted = 9
      case schemaMismatch = 10
      case alreadyOpen = 12
      case invalidInput = 13
      case outOfDiskSpace = 14
      case incompatibleSession = 15
      case unsupportedFileFormatVersion = 16
      case multipleSyncAgents = 17
      case subscriptionFailed = 18
      case fileOperationFailed = 19
      case invalidDatabase = 20
      case incompatibleHistories = 21
      case noSubscriptionForWrite = 22
      case duplicatePrimaryKey = 101
      case invalidQuery = 102
      case objectInvalidated = 103
      case sessionInactive = 104
    }

    public static let errorDomain = "io.realm"

    public let code: Code
    /// A message that says what happened, to what, and what to do about it.
    public let message: String
    /// The file that could not be opened or written; nil for errors that have nothing to do with files.
    public private(set) var fileURL: URL?

    public static let fail = Code.fail
    public static let fileAccess = Code.fileAccess
    public static let filePermissionDenied = Code.filePermissionDenied
    public static let fileExists = Code.fileExists
    public static let fileNotFound = Code.fileNotFound
    public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
    public static let incompatibleLockFile = Code.incompatibleLockFile
    public static let addressSpaceExhausted = Code.addressSpaceExhausted
    public static let schemaMismatch = Code.schemaMismatch
    public static let alreadyOpen = Code.alreadyOpen
    public static let outOfDiskSpace = Code.outOfDiskSpace
    public static let incompatibleSession = Code.incompatibleSession
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    public static let multipleSyncAgents = Code.multipleSyncAgents
    public static let subscriptionFailed = Code.subscriptionFailed
    public static let fileOperationFailed = Code.fileOperationFailed
    public static let invalidDatabase = Code.invalidDatabase
    public static let incompatibleHistories = Code.incompatibleHistories
    public static let noSubscriptionForWrite = Code.noSubscriptionForWrite

    /// An asynchronous function ended with neither a result nor an error.
    public static let callFailed = Realm.Error(.fail, userInfo: [NSLocalizedDescriptionKey: "Call failed"])

    /// Creates an error for the program's own use.
    ///
    /// - Parameter userInfo: the message as `NSLocalizedDescriptionKey`, and the path of a file as `NSFilePathErrorKey`.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
      self.code = code
      message = userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)"
      fileURL = (userInfo[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) }
    }

    init(code: Code, message: String, fileURL: URL? = nil) {
      self.code = code
      self.message = message
      self.fileURL = fileURL
    }

    /// The error of opening a file, as precise as in the Realm Swift SDK.
    func ofOpening(_ path: String) -> Self {
      let file = URL(fileURLWithPath: path)
      let folder = file.deletingLastPathComponent().path
      var isFolder = ObjCBool(false)
      let hasFolder = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
      switch code {
      case .filePermissionDenied:
        return Self(
          code: code,
          message:
            "Failed to open Realm file at path '\(path)': Permission denied. Please use a path where your app "
            + "has read-write permissions.",
          fileURL: file
        )
      case .fileAccess where !hasFolder: return Self(code: .fileNotFound, message: message, fileURL: file)
      case .fileAccess where !isFolder.boolValue:
        // The file that the Realm Swift SDK opens first.
        let lock = file.appendingPathExtension("lock")
        return Self(
          code: .fileOperationFailed,
          message: "Failed to open file at path '\(lock.path)': parent path is not a directory",
          fileURL: lock
        )
      default:
        // The path as the program writes it.
        let canonical = file.standardizedFileURL.path
        let message = message.replacingOccurrences(of: "'\(canonical)'", with: "'\(path)'")
        return Self(code: code, message: message, fileURL: file)
      }
    }
  }
}

extension Realm.Error.Code {
  /// Matches an error by its code, as in `catch Realm.Error.subscriptionFailed`.
  public static func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
  }
}

extension Realm.Error: Equatable {
  /// Errors are equal if they have the same code.
  public static func == (left: Realm.Error, right: Realm.Error) -> Bool { left.code == right.code }
}

extension Realm.Error: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var description: String { message }
}
