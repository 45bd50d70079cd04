// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension Realm {
  /// An error of a realm: its file, schema, objects, queries or subscriptions.
  public struct Error: Swift.Error, Sendable {
    /// The kind of error. Numbers are those of the Realm Swift SDK if it has the case.
    public enum Code: Int, Sendable {
      case fail = 1
      case fileAccess = 2
      case filePermissionDenied = 3
      case fileNotFound = 5
      case incompatibleLockFile = 8
      case schemaMismatch = 10
      case alreadyOpen = 12
      case invalidInput = 13
      case multipleSyncAgents = 17
      case subscriptionFailed = 18
      case invalidDatabase = 20
      case noSubscriptionForWrite = 22
      case diskFull = 100
      case duplicatePrimaryKey = 101
      case invalidQuery = 102
      case objectInvalidated = 103
      case sessionInactive = 104
    }

    public static let errorDomain = "io.realm"

    public let code: Code
    /// A message that says what happened, to what, and what to do about it.
    public let message: String

    init(code: Code, message: String) {
      self.code = code
      self.message = message
    }

    init(_ failure: StatusError) {
      self.init(code: Code(failure.status), message: failure.message)
    }

    public static let fail = Code.fail
    public static let fileAccess = Code.fileAccess
    public static let filePermissionDenied = Code.filePermissionDenied
    public static let schemaMismatch = Code.schemaMismatch
    public static let alreadyOpen = Code.alreadyOpen
    public static let multipleSyncAgents = Code.multipleSyncAgents
    public static let subscriptionFailed = Code.subscriptionFailed
    public static let invalidDatabase = Code.invalidDatabase
    public static let noSubscriptionForWrite = Code.noSubscriptionForWrite

  }
}

extension Realm.Error.Code {
  /// Matches an error by its code, as in `catch Realm.Error.subscriptionFailed`.
  public static func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
  }
}

extension Realm.Error: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var description: String { message }
}

extension Realm.Error.Code {
  /// Creates the code for a status of the C interface. A status without a case of its own becomes a general failure.
  init(_ status: flx_status_t) {
    switch status {
    case .FLX_STATUS_IO: self = .fileAccess
    case .FLX_STATUS_PERMISSION_DENIED: self = .filePermissionDenied
    case .FLX_STATUS_DISK_FULL: self = .diskFull
    case .FLX_STATUS_SCHEMA_MISMATCH: self = .schemaMismatch
    case .FLX_STATUS_ALREADY_OPEN: self = .alreadyOpen
    case .FLX_STATUS_INVALID_ARGUMENT, .FLX_STATUS_TYPE_MISMATCH, .FLX_STATUS_NULL_NOT_ALLOWED:
      self = .invalidInput
    case .FLX_STATUS_MULTIPLE_SYNC_AGENTS: self = .multipleSyncAgents
    case .FLX_STATUS_SUBSCRIPTION_FAILED: self = .subscriptionFailed
    case .FLX_STATUS_NOT_A_DATABASE, .FLX_STATUS_CORRUPT, .FLX_STATUS_INCOMPATIBLE_FILE:
      self = .invalidDatabase
    case .FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE: self = .noSubscriptionForWrite
    case .FLX_STATUS_DUPLICATE_PRIMARY_KEY: self = .duplicatePrimaryKey
    case .FLX_STATUS_QUERY_SYNTAX, .FLX_STATUS_QUERY_INVALID, .FLX_STATUS_QUERY_ARGUMENT: self = .invalidQuery
    case .FLX_STATUS_OBJECT_INVALIDATED: self = .objectInvalidated
    case .FLX_STATUS_SESSION_INACTIVE: self = .sessionInactive
    default: self = .fail
    }
  }
}
