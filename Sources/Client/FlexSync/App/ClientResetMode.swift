// SPDX-License-Identifier: Apache-2.0

import CFlexSync

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

extension ClientResetMode {
  /// The mode and its blocks, whichever name it goes by.
  private var parts: (mode: flx_client_reset_mode_t, blocks: ClientResetBlocks) {
    switch self {
    case .manual(let handler): (.FLX_CLIENT_RESET_MANUAL, ClientResetBlocks(error: handler))
    case .discardUnsyncedChanges(let before, let after), .discardLocal(let before, let after):
      (.FLX_CLIENT_RESET_DISCARD_UNSYNCED, ClientResetBlocks(before: before, after: after))
    case .recoverUnsyncedChanges(let before, let after):
      (.FLX_CLIENT_RESET_RECOVER_UNSYNCED, ClientResetBlocks(before: before, after: after))
    case .recoverOrDiscardUnsyncedChanges(let before, let after):
      (.FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED, ClientResetBlocks(before: before, after: after))
    }
  }

  /// Writes the mode to a configuration for C.
  ///
  /// - Parameter configuration: the configuration of the realms that are passed to the blocks.
  func write(to config: inout flx_realm_config_t, _ configuration: Realm.Configuration) {
    var (mode, blocks) = parts
    blocks.configuration = configuration
    config.client_reset_mode = mode
    if blocks.before != nil { config.before_client_reset = { callBeforeReset($0, $1) } }
    if blocks.after != nil {
      config.after_client_reset = { userdata, before, after, _ in callAfterReset(userdata, before, after) }
    }
    if blocks.error != nil { config.client_reset_error = { callResetError($0, $1, $2) } }
    config.client_reset_userdata = CallbackBox<ClientResetBlocks>.retained(blocks)
    config.free_client_reset_userdata = freeCallbackBox
  }
}

private struct ClientResetBlocks: Sendable {
  var before: ClientResetMode.BeforeReset?
  var after: ClientResetMode.AfterReset?
  var error: ErrorReportingBlock?
  var configuration = Realm.Configuration()

  func realm(_ pointer: OpaquePointer) -> Realm {
    Realm(_RealmHandle(pointer, configuration, isOwned: false))
  }
}

private func callBeforeReset(_ userdata: UnsafeMutableRawPointer?, _ before: OpaquePointer) {
  let blocks = CallbackBox<ClientResetBlocks>.callback(in: userdata)
  blocks.before?(blocks.realm(before))
}

private func callAfterReset(
  _ userdata: UnsafeMutableRawPointer?,
  _ before: OpaquePointer,
  _ after: OpaquePointer
) {
  let blocks = CallbackBox<ClientResetBlocks>.callback(in: userdata)
  blocks.after?(blocks.realm(before), blocks.realm(after))
}

private func callResetError(
  _ userdata: UnsafeMutableRawPointer?,
  _ session: OpaquePointer,
  _ error: UnsafePointer<flx_sync_error_t>
) {
  let session = SyncSession(takingOver: flx_session_retain(session))
  CallbackBox<ClientResetBlocks>.callback(in: userdata).error?(SyncError(error.pointee, session), session)
}
