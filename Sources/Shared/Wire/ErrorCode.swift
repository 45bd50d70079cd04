// SPDX-License-Identifier: Apache-2.0

/// The number of an error on the wire (protocol §3.5).
///
/// The set is open: a server may use codes that are not listed here, and a client must tolerate them for a session.
public struct ErrorCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The errors of a connection.
extension ErrorCode {
  public static let connectionClosed = ErrorCode(rawValue: 100)
  public static let otherError = ErrorCode(rawValue: 101)
  public static let unknownMessage = ErrorCode(rawValue: 102)
  public static let badSyntax = ErrorCode(rawValue: 103)
  /// Aborts Realm's client; send `badSyntax` instead.
  public static let limitsExceeded = ErrorCode(rawValue: 104)
  public static let wrongProtocolVersion = ErrorCode(rawValue: 105)
  public static let badSessionIdent = ErrorCode(rawValue: 106)
  public static let reuseOfSessionIdent = ErrorCode(rawValue: 107)
  public static let boundInOtherSession = ErrorCode(rawValue: 108)
  public static let badMessageOrder = ErrorCode(rawValue: 109)
  public static let badDecompression = ErrorCode(rawValue: 110)
  public static let badChangesetHeader = ErrorCode(rawValue: 111)
  public static let badChangesetSize = ErrorCode(rawValue: 112)
  public static let switchToFlexibleSync = ErrorCode(rawValue: 113)
  public static let switchToPartitionSync = ErrorCode(rawValue: 114)
}

/// The errors of a session.
extension ErrorCode {
  public static let sessionClosed = ErrorCode(rawValue: 200)
  public static let otherSessionError = ErrorCode(rawValue: 201)
  /// Aborts Realm's client.
  public static let tokenExpired = ErrorCode(rawValue: 202)
  /// Aborts Realm's client.
  public static let badAuthentication = ErrorCode(rawValue: 203)
  public static let illegalRealmPath = ErrorCode(rawValue: 204)
  /// Aborts Realm's client.
  public static let noSuchRealm = ErrorCode(rawValue: 205)
  public static let permissionDenied = ErrorCode(rawValue: 206)
  /// Aborts Realm's client.
  public static let badServerFileIdent = ErrorCode(rawValue: 207)
  public static let badClientFileIdent = ErrorCode(rawValue: 208)
  public static let badServerVersion = ErrorCode(rawValue: 209)
  public static let badClientVersion = ErrorCode(rawValue: 210)
  public static let divergingHistories = ErrorCode(rawValue: 211)
  public static let badChangeset = ErrorCode(rawValue: 212)
  /// Aborts Realm's client.
  public static let partialSyncDisabled = ErrorCode(rawValue: 214)
  /// Aborts Realm's client.
  public static let unsupportedFeature = ErrorCode(rawValue: 215)
  public static let badOriginFileIdent = ErrorCode(rawValue: 216)
  public static let badClientFile = ErrorCode(rawValue: 217)
  /// Aborts Realm's client.
  public static let serverFileDeleted = ErrorCode(rawValue: 218)
  /// Aborts Realm's client.
  public static let clientFileBlacklisted = ErrorCode(rawValue: 219)
  /// Aborts Realm's client.
  public static let userBlacklisted = ErrorCode(rawValue: 220)
  /// Aborts Realm's client.
  public static let transactBeforeUpload = ErrorCode(rawValue: 221)
  public static let clientFileExpired = ErrorCode(rawValue: 222)
  public static let userMismatch = ErrorCode(rawValue: 223)
  /// Aborts Realm's client.
  public static let tooManySessions = ErrorCode(rawValue: 224)
  public static let invalidSchemaChange = ErrorCode(rawValue: 225)
  public static let badQuery = ErrorCode(rawValue: 226)
  public static let objectAlreadyExists = ErrorCode(rawValue: 227)
  public static let serverPermissionsChanged = ErrorCode(rawValue: 228)
  public static let initialSyncNotCompleted = ErrorCode(rawValue: 229)
  public static let writeNotAllowed = ErrorCode(rawValue: 230)
  public static let compensatingWrite = ErrorCode(rawValue: 231)
  public static let migrateToFlexibleSync = ErrorCode(rawValue: 232)
  public static let badProgress = ErrorCode(rawValue: 233)
  public static let revertToPartitionSync = ErrorCode(rawValue: 234)
  public static let badSchemaVersion = ErrorCode(rawValue: 235)
  public static let schemaVersionChanged = ErrorCode(rawValue: 236)
}

extension ErrorCode {
  /// The codes that trigger an unreachable-code trap in Realm's client (protocol §3.5).
  private static let abortingClients: Set<ErrorCode> = [
    .limitsExceeded, .tokenExpired, .badAuthentication, .noSuchRealm, .badServerFileIdent,
    .partialSyncDisabled,
    .unsupportedFeature, .serverFileDeleted, .clientFileBlacklisted, .userBlacklisted, .transactBeforeUpload,
    .tooManySessions,
  ]

  /// Whether the code may be sent. False for codes that abort the process of a Realm client: a server must never send
  /// them.
  public var mayBeSentToClients: Bool { !Self.abortingClients.contains(self) }

  /// Whether realm-core defines the code, for a connection or a session.
  public var isKnown: Bool { isKnownOfConnection || isKnownOfSession }

  var isKnownOfConnection: Bool { (100...114).contains(rawValue) }

  var isKnownOfSession: Bool { (200...236).contains(rawValue) && rawValue != 213 }

  /// Whether an error with this code may be sent for `session` (0: for the connection); protocol §3.5.
  public func fits(session: SessionIdent) -> Bool {
    session == 0 ? isKnownOfConnection : !isKnownOfConnection
  }

  /// Whether the error ends the session that it refers to. Compensating writes and changed schema versions do not
  /// (protocol §3.3).
  public var endsSession: Bool { self != .compensatingWrite && self != .schemaVersionChanged }
}

extension ErrorCode: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
