// SPDX-License-Identifier: Apache-2.0

/// Receives sync errors. The session is nil if the error concerns none.
public typealias ErrorReportingBlock = @Sendable (any Error, SyncSession?) -> Void

/// Determines how a client reset is handled. The server demands one when it cannot continue with the file, because
/// the device was away for too long or the server was restored from a backup.
///
/// In all modes but `manual`, a fresh copy replaces the file's contents in a single write: realms and objects stay
/// valid, and observers are notified of what has changed. A reset that is impossible is reported as a `SyncError`
/// with the code `clientResetError` and left to the app, as in the manual mode.
///
/// The blocks are called on a background thread. `before` holds the data that the device had, and cannot be written;
/// `after` holds the data that it has now. Both are valid only within the block.
public enum ClientResetMode: Sendable {
  /// Called when a fresh copy is about to replace the contents of the file.
  public typealias BeforeReset = @Sendable (_ before: Realm) -> Void
  /// Called when the fresh copy has replaced the contents of the file.
  public typealias AfterReset = @Sendable (_ before: Realm, _ after: Realm) -> Void

  /// Reports a `SyncError` with the code `clientResetError` to `errorHandler` or, without one, to the error handler
  /// of the sync manager. The file is backed up and deleted when it is opened again, or by
  /// `SyncSession.immediatelyHandleError`.
  case manual(errorHandler: ErrorReportingBlock? = nil)
  /// Discards changes and subscriptions that the server has not acknowledged.
  case discardUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
  /// Applies the changes that the server has not acknowledged to the fresh copy, and uploads them.
  case recoverUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
  /// Recovers, or discards if that is impossible.
  case recoverOrDiscardUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
  @available(*, deprecated, renamed: "discardUnsyncedChanges")
  case discardLocal(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
}
