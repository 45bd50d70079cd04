// SPDX-License-Identifier: Apache-2.0

/// The status codes by which programs distinguish errors. Their numbers, names and meanings are those of
/// `FLX_STATUS_MAP` in error.h; a test compares them.
package enum Status: Int32, Sendable, CaseIterable {
  case ok = 0
  case invalidArgument = 1
  case unsupported = 2
  case `internal` = 3
  case canceled = 4
  case timedOut = 5

  // Files.
  case io = 100
  case diskFull = 101
  case busy = 102
  case notADatabase = 103
  case corrupt = 104
  case permissionDenied = 105
  case alreadyOpen = 106
  case multipleSyncAgents = 107
  case incompatibleFile = 108
  case fileExists = 109

  // Schema and objects.
  case schemaMismatch = 200
  case noSuchClass = 201
  case noSuchProperty = 202
  case typeMismatch = 203
  case nullNotAllowed = 204
  case duplicatePrimaryKey = 205
  case objectInvalidated = 206
  case indexOutOfBounds = 207
  case notInWriteTransaction = 208
  case inWriteTransaction = 209
  case valueTooLarge = 210
  case wrongThread = 211
  case invalidSchemaVersion = 212

  // Queries.
  case querySyntax = 300
  case queryInvalid = 301
  case queryArgument = 302

  // Subscriptions.
  case notSynced = 400
  case noSubscriptionForWrite = 401
  case subscriptionExists = 402
  case subscriptionNotFound = 403
  case subscriptionClassMismatch = 404
  case subscriptionFailed = 405
  case subscriptionSuperseded = 406
  case subscriptionUpdateOpen = 407

  // Network, app and users.
  case connectionFailed = 500
  case tlsFailed = 501
  case badResponse = 502
  case serviceError = 503
  case invalidPassword = 504
  case accountNameInUse = 505
  case userNotFound = 506
  case invalidSession = 507
  case userLoggedOut = 508
  case appNotFound = 509
  case authProviderNotFound = 510
  case userDisabled = 511
  case userAlreadyConfirmed = 512
  case apiKeyNotFound = 513
  case apiKeyExists = 514

  // Sync sessions.
  case sessionInactive = 600
  case sessionFailed = 601
  case writeRejected = 602
  case clientReset = 603
  case serverWarning = 604
  case protocolError = 605
  case clientResetFailed = 606
}

extension Status {
  /// The name in the C interface without its prefix, and the meaning.
  var words: (name: StaticString, meaning: StaticString) {
    switch self {
    case .ok: ("OK", "success")
    case .invalidArgument: ("INVALID_ARGUMENT", "an argument is not valid")
    case .unsupported: ("UNSUPPORTED", "the operation is not supported")
    case .internal: ("INTERNAL", "an internal invariant was violated; please report it")
    case .canceled: ("CANCELED", "the operation was canceled")
    case .timedOut: ("TIMED_OUT", "the operation did not finish in time")
    case .io: ("IO", "reading or writing a file failed")
    case .diskFull: ("DISK_FULL", "the disk is full")
    case .busy: ("BUSY", "another writer held the file for too long")
    case .notADatabase: ("NOT_A_DATABASE", "the file is not a FlexSync file")
    case .corrupt: ("CORRUPT", "the file is damaged")
    case .permissionDenied: ("PERMISSION_DENIED", "access to the file or folder was denied")
    case .alreadyOpen: ("ALREADY_OPEN", "the realm is open")
    case .multipleSyncAgents:
      ("MULTIPLE_SYNC_AGENTS", "another process syncs the file; close the realm there and try again")
    case .incompatibleFile:
      ("INCOMPATIBLE_FILE", "the file has another user, app or kind of realm, or a newer format")
    case .fileExists: ("FILE_EXISTS", "a file of that name already exists")
    case .schemaMismatch: ("SCHEMA_MISMATCH", "the schema conflicts with the one in the file")
    case .noSuchClass: ("NO_SUCH_CLASS", "the class does not exist")
    case .noSuchProperty: ("NO_SUCH_PROPERTY", "the property does not exist")
    case .typeMismatch: ("TYPE_MISMATCH", "the value and the property have different types")
    case .nullNotAllowed: ("NULL_NOT_ALLOWED", "the property is required")
    case .duplicatePrimaryKey: ("DUPLICATE_PRIMARY_KEY", "an object with this primary key already exists")
    case .objectInvalidated: ("OBJECT_INVALIDATED", "the object was deleted, or its realm closed")
    case .indexOutOfBounds: ("INDEX_OUT_OF_BOUNDS", "the index is out of bounds")
    case .notInWriteTransaction: ("NOT_IN_WRITE_TRANSACTION", "the operation needs a write transaction")
    case .inWriteTransaction: ("IN_WRITE_TRANSACTION", "the operation is not possible in a write transaction")
    case .valueTooLarge: ("VALUE_TOO_LARGE", "the value is too large")
    case .wrongThread: ("WRONG_THREAD", "another thread is using the realm")
    case .invalidSchemaVersion:
      ("INVALID_SCHEMA_VERSION", "the schema version is not one that the file can have")
    case .querySyntax: ("QUERY_SYNTAX", "the query has a syntax error")
    case .queryInvalid: ("QUERY_INVALID", "the query does not match the schema")
    case .queryArgument: ("QUERY_ARGUMENT", "a query argument is missing or not valid")
    case .notSynced: ("NOT_SYNCED", "the realm was not configured with flexible sync")
    case .noSubscriptionForWrite: ("NO_SUBSCRIPTION_FOR_WRITE", "the class has no subscription")
    case .subscriptionExists: ("SUBSCRIPTION_EXISTS", "a subscription with that name already exists")
    case .subscriptionNotFound: ("SUBSCRIPTION_NOT_FOUND", "the subscription does not exist")
    case .subscriptionClassMismatch: ("SUBSCRIPTION_CLASS_MISMATCH", "the subscription is for another class")
    case .subscriptionFailed: ("SUBSCRIPTION_FAILED", "the server rejected the subscription set")
    case .subscriptionSuperseded: ("SUBSCRIPTION_SUPERSEDED", "a newer subscription set replaced this one")
    case .subscriptionUpdateOpen:
      ("SUBSCRIPTION_UPDATE_OPEN", "the subscription set is already being updated")
    case .connectionFailed: ("CONNECTION_FAILED", "the server could not be reached")
    case .tlsFailed: ("TLS_FAILED", "the secure connection could not be established")
    case .badResponse: ("BAD_RESPONSE", "the server's response was not understood")
    case .serviceError: ("SERVICE_ERROR", "the server reported an error")
    case .invalidPassword: ("INVALID_PASSWORD", "the email or the password is wrong")
    case .accountNameInUse: ("ACCOUNT_NAME_IN_USE", "an account with that name already exists")
    case .userNotFound: ("USER_NOT_FOUND", "the user does not exist")
    case .invalidSession: ("INVALID_SESSION", "the user must log in again")
    case .userLoggedOut: ("USER_LOGGED_OUT", "the user is logged out")
    case .appNotFound: ("APP_NOT_FOUND", "the server has no app with that id")
    case .authProviderNotFound: ("AUTH_PROVIDER_NOT_FOUND", "the app does not let users log in this way")
    case .userDisabled: ("USER_DISABLED", "the user is disabled on the server")
    case .userAlreadyConfirmed: ("USER_ALREADY_CONFIRMED", "the account is already confirmed")
    case .apiKeyNotFound: ("API_KEY_NOT_FOUND", "the user has no API key with that id")
    case .apiKeyExists: ("API_KEY_EXISTS", "the user already has an API key with that name")
    case .sessionInactive: ("SESSION_INACTIVE", "the sync session became inactive")
    case .sessionFailed: ("SESSION_FAILED", "the server ended the sync session")
    case .writeRejected: ("WRITE_REJECTED", "the server reverted writes")
    case .clientReset: ("CLIENT_RESET", "the file must be reset")
    case .serverWarning: ("SERVER_WARNING", "the server sent a warning")
    case .protocolError: ("PROTOCOL_ERROR", "the server broke the protocol")
    case .clientResetFailed:
      ("CLIENT_RESET_FAILED", "a client reset failed; the file is created anew when it is next opened")
    }
  }
}
