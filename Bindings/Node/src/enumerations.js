// SPDX-License-Identifier: Apache-2.0
// Made by raw_layer.mjs from flexsync.api.json; do not edit.
/** The enumerations of the library, by the ends of their C names. */

export const Status = Object.freeze({
  OK: 0,
  INVALID_ARGUMENT: 1,
  UNSUPPORTED: 2,
  INTERNAL: 3,
  CANCELED: 4,
  TIMED_OUT: 5,
  IO: 100,
  DISK_FULL: 101,
  BUSY: 102,
  NOT_A_DATABASE: 103,
  CORRUPT: 104,
  PERMISSION_DENIED: 105,
  ALREADY_OPEN: 106,
  MULTIPLE_SYNC_AGENTS: 107,
  INCOMPATIBLE_FILE: 108,
  FILE_EXISTS: 109,
  SCHEMA_MISMATCH: 200,
  NO_SUCH_CLASS: 201,
  NO_SUCH_PROPERTY: 202,
  TYPE_MISMATCH: 203,
  NULL_NOT_ALLOWED: 204,
  DUPLICATE_PRIMARY_KEY: 205,
  OBJECT_INVALIDATED: 206,
  INDEX_OUT_OF_BOUNDS: 207,
  NOT_IN_WRITE_TRANSACTION: 208,
  IN_WRITE_TRANSACTION: 209,
  VALUE_TOO_LARGE: 210,
  WRONG_THREAD: 211,
  INVALID_SCHEMA_VERSION: 212,
  QUERY_SYNTAX: 300,
  QUERY_INVALID: 301,
  QUERY_ARGUMENT: 302,
  NOT_SYNCED: 400,
  NO_SUBSCRIPTION_FOR_WRITE: 401,
  SUBSCRIPTION_EXISTS: 402,
  SUBSCRIPTION_NOT_FOUND: 403,
  SUBSCRIPTION_CLASS_MISMATCH: 404,
  SUBSCRIPTION_FAILED: 405,
  SUBSCRIPTION_SUPERSEDED: 406,
  SUBSCRIPTION_UPDATE_OPEN: 407,
  CONNECTION_FAILED: 500,
  TLS_FAILED: 501,
  BAD_RESPONSE: 502,
  SERVICE_ERROR: 503,
  INVALID_PASSWORD: 504,
  ACCOUNT_NAME_IN_USE: 505,
  USER_NOT_FOUND: 506,
  INVALID_SESSION: 507,
  USER_LOGGED_OUT: 508,
  APP_NOT_FOUND: 509,
  AUTH_PROVIDER_NOT_FOUND: 510,
  USER_DISABLED: 511,
  USER_ALREADY_CONFIRMED: 512,
  API_KEY_NOT_FOUND: 513,
  API_KEY_EXISTS: 514,
  SESSION_INACTIVE: 600,
  SESSION_FAILED: 601,
  WRITE_REJECTED: 602,
  CLIENT_RESET: 603,
  SERVER_WARNING: 604,
  PROTOCOL_ERROR: 605,
  CLIENT_RESET_FAILED: 606,
});

export const Type = Object.freeze({
  NULL: -1,
  MIXED: 0,
  INT: 1,
  BOOL: 2,
  STRING: 3,
  BINARY: 4,
  TIMESTAMP: 5,
  FLOAT: 6,
  DOUBLE: 7,
  DECIMAL: 8,
  LINK: 9,
  OBJECT_ID: 10,
  UUID: 11,
  LIST: 32,
  DICTIONARY: 33,
});

export const Collection = Object.freeze({
  NONE: 0,
  LIST: 1,
  DICTIONARY: 2,
  SET: 3,
});

export const ClassKind = Object.freeze({
  TOP_LEVEL: 0,
  EMBEDDED: 1,
  ASYMMETRIC: 2,
});

export const SchemaMode = Object.freeze({
  ADDITIVE: 0,
  VERSIONED: 1,
  VERSIONED_OR_RESET: 2,
  FROM_FILE: 3,
});

export const LoopMode = Object.freeze({
  OWN_THREAD: 0,
  HOST_UV: 1,
  POLL: 2,
});

export const CredentialsKind = Object.freeze({
  ANONYMOUS: 0,
  EMAIL_PASSWORD: 1,
  API_KEY: 2,
  JWT: 3,
  FUNCTION: 4,
  GOOGLE_AUTH_CODE: 5,
  GOOGLE_ID_TOKEN: 6,
  APPLE: 7,
  FACEBOOK: 8,
  NEW_ANONYMOUS: 9,
});

export const UserState = Object.freeze({
  LOGGED_OUT: 0,
  LOGGED_IN: 1,
  REMOVED: 2,
});

export const LogLevel = Object.freeze({
  ALL: 0,
  TRACE: 1,
  DEBUG: 2,
  DETAIL: 3,
  INFO: 4,
  WARN: 5,
  ERROR: 6,
  FATAL: 7,
  OFF: 8,
});

export const WatchEvent = Object.freeze({
  OPENED: 0,
  CHANGED: 1,
  FAILED: 2,
  CLOSED: 3,
});

export const ClientResetMode = Object.freeze({
  MANUAL: 0,
  DISCARD_UNSYNCED: 1,
  RECOVER_UNSYNCED: 2,
  RECOVER_OR_DISCARD_UNSYNCED: 3,
});

export const OpenMode = Object.freeze({
  LOCAL: 0,
  DOWNLOAD_ONCE: 1,
  DOWNLOAD_ALWAYS: 2,
});

export const LinkState = Object.freeze({
  NULL: 0,
  RESOLVED: 1,
  OUT_OF_VIEW: 2,
});

export const Aggregate = Object.freeze({
  MIN: 1,
  MAX: 2,
  SUM: 3,
  AVERAGE: 4,
  COUNT: 5,
});

export const SubscriptionState = Object.freeze({
  PENDING: 1,
  BOOTSTRAPPING: 2,
  COMPLETE: 3,
  ERROR: 4,
  SUPERSEDED: 5,
  AWAITING_MARK: 6,
});

export const NameConflict = Object.freeze({
  FAIL: 0,
  REPLACE: 1,
});

export const WaitForSync = Object.freeze({
  ON_CREATION: 0,
  ALWAYS: 1,
  NEVER: 2,
});

export const SessionState = Object.freeze({
  ACTIVE: 0,
  INACTIVE: 1,
  CLOSED: 2,
});

export const ConnectionState = Object.freeze({
  DISCONNECTED: 0,
  CONNECTING: 1,
  CONNECTED: 2,
});

export const Direction = Object.freeze({
  UPLOAD: 0,
  DOWNLOAD: 1,
});

export const RejectedWriteState = Object.freeze({
  KEPT: 0,
  RESUBMITTED: 1,
});
