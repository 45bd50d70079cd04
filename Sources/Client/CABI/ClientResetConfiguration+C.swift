// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension ClientResetConfiguration {
  /// - Parameter userdata: that of all callbacks.
  /// - Throws: `CoreError` UNSUPPORTED for an unknown mode.
  init(_ config: flx_realm_config_t, _ userdata: Userdata) throws {
    mode = try ClientResetMode(config.client_reset_mode)
    if let callback = config.before_client_reset {
      before = { before in
        Handle.lend(before, to: "flx_before_client_reset_t") { callback(userdata.pointer, $0) }
      }
    }
    if let callback = config.after_client_reset {
      after = { before, after, isRecovered in
        Handle.lend(before, to: "flx_after_client_reset_t") { before in
          Handle.lend(after, to: "flx_after_client_reset_t") { after in
            callback(userdata.pointer, before, after, isRecovered)
          }
        }
      }
    }
    if let callback = config.client_reset_error {
      error = { session, error in
        Handle.lend(session, to: "flx_client_reset_error_t") { session in
          error.withCError { callback(userdata.pointer, session, $0) }
        }
      }
    }
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
