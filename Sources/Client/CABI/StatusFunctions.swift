// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// `FLX_STATUS_MAP` is a macro that Swift cannot expand: a test compares this table with the header's.

extension flx_status_t {
  /// The name without its prefix, and the meaning, as in `FLX_STATUS_MAP`.
  var words: (name: StaticString, meaning: StaticString) {
    switch self {
    case .FLX_STATUS_OK: ("OK", "success")
    case .FLX_STATUS_INVALID_ARGUMENT: ("INVALID_ARGUMENT", "an argument is not valid")
    case .FLX_STATUS_UNSUPPORTED: ("UNSUPPORTED", "the operation is not supported")
    case .FLX_STATUS_INTERNAL: ("INTERNAL", "an internal invariant was violated; please report it")
    case .FLX_STATUS_CANCELED: ("CANCELED", "the operation was canceled")
    case .FLX_STATUS_TIMED_OUT: ("TIMED_OUT", "the operation did not finish in time")
    case .FLX_STATUS_IO: ("IO", "reading or writing a file failed")
    case .FLX_STATUS_DISK_FULL: ("DISK_FULL", "the disk is full")
    case .FLX_STATUS_BUSY: ("BUSY", "another writer held the file for too long")
    case .FLX_STATUS_NOT_A_DATABASE: ("NOT_A_DATABASE", "the file is not a FlexSync file")
    case .FLX_STATUS_CORRUPT: ("CORRUPT", "the file is damaged")
    case .FLX_STATUS_PERMISSION_DENIED: ("PERMISSION_DENIED", "access to the file or folder was denied")
    case .FLX_STATUS_ALREADY_OPEN: ("ALREADY_OPEN", "the realm is open")
    case .FLX_STATUS_MULTIPLE_SYNC_AGENTS:
      ("MULTIPLE_SYNC_AGENTS", "another client or process already syncs this file")
    case .FLX_STATUS_INCOMPATIBLE_FILE:
      ("INCOMPATIBLE_FILE", "the file belongs to another user, app or kind of realm")
    case .FLX_STATUS_SCHEMA_MISMATCH: ("SCHEMA_MISMATCH", "the schema conflicts with the one in the file")
    case .FLX_STATUS_NO_SUCH_CLASS: ("NO_SUCH_CLASS", "the class does not exist")
    case .FLX_STATUS_NO_SUCH_PROPERTY: ("NO_SUCH_PROPERTY", "the property does not exist")
    case .FLX_STATUS_TYPE_MISMATCH: ("TYPE_MISMATCH", "the value and the property have different types")
    case .FLX_STATUS_NULL_NOT_ALLOWED: ("NULL_NOT_ALLOWED", "the property is required")
    case .FLX_STATUS_DUPLICATE_PRIMARY_KEY:
      ("DUPLICATE_PRIMARY_KEY", "an object with this primary key already exists")
    case .FLX_STATUS_OBJECT_INVALIDATED: ("OBJECT_INVALIDATED", "the object was deleted, or its realm closed")
    case .FLX_STATUS_INDEX_OUT_OF_BOUNDS: ("INDEX_OUT_OF_BOUNDS", "the index is out of bounds")
    case .FLX_STATUS_NOT_IN_WRITE_TRANSACTION:
      ("NOT_IN_WRITE_TRANSACTION", "the operation needs a write transaction")
    case .FLX_STATUS_IN_WRITE_TRANSACTION:
      ("IN_WRITE_TRANSACTION", "the operation is not possible in a write transaction")
    case .FLX_STATUS_VALUE_TOO_LARGE: ("VALUE_TOO_LARGE", "the value is too large")
    case .FLX_STATUS_WRONG_THREAD: ("WRONG_THREAD", "another thread is using the realm")
    case .FLX_STATUS_QUERY_SYNTAX: ("QUERY_SYNTAX", "the query has a syntax error")
    case .FLX_STATUS_QUERY_INVALID: ("QUERY_INVALID", "the query does not match the schema")
    case .FLX_STATUS_QUERY_ARGUMENT: ("QUERY_ARGUMENT", "a query argument is missing or not valid")
    case .FLX_STATUS_NOT_SYNCED: ("NOT_SYNCED", "the realm was not configured with flexible sync")
    case .FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE: ("NO_SUBSCRIPTION_FOR_WRITE", "the class has no subscription")
    case .FLX_STATUS_SUBSCRIPTION_EXISTS:
      ("SUBSCRIPTION_EXISTS", "a subscription with that name already exists")
    case .FLX_STATUS_SUBSCRIPTION_NOT_FOUND: ("SUBSCRIPTION_NOT_FOUND", "the subscription does not exist")
    case .FLX_STATUS_SUBSCRIPTION_CLASS_MISMATCH:
      ("SUBSCRIPTION_CLASS_MISMATCH", "the subscription is for another class")
    case .FLX_STATUS_SUBSCRIPTION_FAILED: ("SUBSCRIPTION_FAILED", "the server rejected the subscription set")
    case .FLX_STATUS_SUBSCRIPTION_SUPERSEDED:
      ("SUBSCRIPTION_SUPERSEDED", "a newer subscription set replaced this one")
    case .FLX_STATUS_SUBSCRIPTION_UPDATE_OPEN:
      ("SUBSCRIPTION_UPDATE_OPEN", "the subscription set is already being updated")
    case .FLX_STATUS_CONNECTION_FAILED: ("CONNECTION_FAILED", "the server could not be reached")
    case .FLX_STATUS_TLS_FAILED: ("TLS_FAILED", "the secure connection could not be established")
    case .FLX_STATUS_BAD_RESPONSE: ("BAD_RESPONSE", "the server's response was not understood")
    case .FLX_STATUS_SERVICE_ERROR: ("SERVICE_ERROR", "the server reported an error")
    case .FLX_STATUS_INVALID_PASSWORD: ("INVALID_PASSWORD", "the email or the password is wrong")
    case .FLX_STATUS_ACCOUNT_NAME_IN_USE: ("ACCOUNT_NAME_IN_USE", "an account with that name already exists")
    case .FLX_STATUS_USER_NOT_FOUND: ("USER_NOT_FOUND", "the user does not exist")
    case .FLX_STATUS_INVALID_SESSION: ("INVALID_SESSION", "the user must log in again")
    case .FLX_STATUS_USER_LOGGED_OUT: ("USER_LOGGED_OUT", "the user is logged out")
    case .FLX_STATUS_APP_NOT_FOUND: ("APP_NOT_FOUND", "the server has no app with that id")
    case .FLX_STATUS_AUTH_PROVIDER_NOT_FOUND:
      ("AUTH_PROVIDER_NOT_FOUND", "the app does not let users log in this way")
    case .FLX_STATUS_USER_DISABLED: ("USER_DISABLED", "the user is disabled on the server")
    case .FLX_STATUS_USER_ALREADY_CONFIRMED: ("USER_ALREADY_CONFIRMED", "the account is already confirmed")
    case .FLX_STATUS_API_KEY_NOT_FOUND: ("API_KEY_NOT_FOUND", "the user has no API key with that id")
    case .FLX_STATUS_API_KEY_EXISTS: ("API_KEY_EXISTS", "the user already has an API key with that name")
    case .FLX_STATUS_SESSION_INACTIVE: ("SESSION_INACTIVE", "the sync session became inactive")
    case .FLX_STATUS_SESSION_FAILED: ("SESSION_FAILED", "the server ended the sync session")
    case .FLX_STATUS_WRITE_REJECTED: ("WRITE_REJECTED", "the server reverted writes")
    case .FLX_STATUS_CLIENT_RESET: ("CLIENT_RESET", "the file must be reset")
    case .FLX_STATUS_CLIENT_RESET_FAILED:
      ("CLIENT_RESET_FAILED", "a client reset failed; the file is created anew when it is next opened")
    case .FLX_STATUS_SERVER_WARNING: ("SERVER_WARNING", "the server sent a warning")
    case .FLX_STATUS_PROTOCOL_ERROR: ("PROTOCOL_ERROR", "the server broke the protocol")
    @unknown default: ("UNKNOWN", "an unknown status")
    }
  }
}

@_cdecl("flx_status_name") @implementation
public func flx_status_name(_ status: flx_status_t) -> UnsafePointer<CChar> {
  UnsafeRawPointer(status.words.name.utf8Start).assumingMemoryBound(to: CChar.self)
}

@_cdecl("flx_status_meaning") @implementation
public func flx_status_meaning(_ status: flx_status_t) -> UnsafePointer<CChar> {
  UnsafeRawPointer(status.words.meaning.utf8Start).assumingMemoryBound(to: CChar.self)
}
