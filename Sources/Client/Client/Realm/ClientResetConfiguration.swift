// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The app's settings for client resets: the mode, and the callbacks.
struct ClientResetConfiguration {
  var mode = ClientResetMode.manual
  var before: flx_before_client_reset_t?
  var after: flx_after_client_reset_t?
  /// The callback for the errors of resets that are left to the app.
  var error: flx_client_reset_error_t?
  /// The userdata of all callbacks.
  var userdata = Userdata(nil, free: nil)
}

extension ClientResetConfiguration {
  /// - Throws: `CoreError` UNSUPPORTED for an unknown mode.
  init(_ config: flx_realm_config_t, _ userdata: Userdata) throws {
    self.init(
      mode: try ClientResetMode(config.client_reset_mode),
      before: config.before_client_reset,
      after: config.after_client_reset,
      error: config.client_reset_error,
      userdata: userdata
    )
  }
}

extension ClientResetMode {
  fileprivate init(_ mode: flx_client_reset_mode_t) throws {
    switch mode {
    case .FLX_CLIENT_RESET_MANUAL: self = .manual
    case .FLX_CLIENT_RESET_DISCARD_UNSYNCED: self = .discard
    case .FLX_CLIENT_RESET_RECOVER_UNSYNCED: self = .recover
    case .FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED: self = .recoverOrDiscard
    default: throw CoreError.unsupported("Unknown client reset mode: \(mode.rawValue).")
    }
  }
}
