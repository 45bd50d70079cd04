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
