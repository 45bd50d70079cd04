// SPDX-License-Identifier: Apache-2.0

import CFlexSync

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
    if blocks.before != nil { config.before_client_reset = callBeforeReset }
    if blocks.after != nil { config.after_client_reset = callAfterReset }
    if blocks.error != nil { config.client_reset_error = callResetError }
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
    Realm(_RealmHandle(LiveRealm(pointer, configuration, isOwned: false)))
  }
}

private let callBeforeReset: flx_before_client_reset_t = { box, before in
  let blocks = CallbackBox<ClientResetBlocks>.callback(in: box)
  blocks.before?(blocks.realm(before))
}

private let callAfterReset: flx_after_client_reset_t = { box, before, after, _ in
  let blocks = CallbackBox<ClientResetBlocks>.callback(in: box)
  blocks.after?(blocks.realm(before), blocks.realm(after))
}

private let callResetError: flx_client_reset_error_t = { box, session, error in
  let session = SyncSession(sharing: session)
  CallbackBox<ClientResetBlocks>.callback(in: box).error?(SyncError(error.pointee, session), session)
}
