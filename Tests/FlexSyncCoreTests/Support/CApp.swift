// SPDX-License-Identifier: Apache-2.0

import CFlexSync

@testable import FlexSyncCore

/// An app through the C functions.
final class CApp: @unchecked Sendable {
  let handle: OpaquePointer

  init(
    url: String,
    folder: String,
    id: String = "tasks",
    loopMode: flx_loop_mode_t = .FLX_LOOP_OWN_THREAD,
    trustedCertificates: String = ""
  ) throws {
    var config = flx_app_config_t()
    config.struct_size = MemoryLayout<flx_app_config_t>.size
    config.loop_mode = loopMode
    var app: OpaquePointer?
    try url.withCText { url in
      try folder.withCText { folder in
        try id.withCText { id in
          try trustedCertificates.withCText { certificates in
            config.app_id = id
            config.base_url = url
            config.storage_directory = folder
            config.trusted_certificates_file = certificates
            try check { flx_app_create(&config, &app, $0) }
          }
        }
      }
    }
    handle = try app ?? { throw CoreError.invalidArgument("no app") }()
  }

  deinit { flx_app_release(handle) }

  func register(_ email: String, _ password: String) throws {
    try email.withCText { email in
      try password.withCText { password in
        try check { flx_app_register_email_blocking(handle, email, password, $0) }
      }
    }
  }

  func logIn(_ email: String, _ password: String) throws -> CUser {
    try email.withCText { email in
      try password.withCText { password in
        try logIn(flx_credentials_t(kind: .FLX_CREDENTIALS_EMAIL_PASSWORD, name: email, secret: password))
      }
    }
  }

  func logInAnonymously() throws -> CUser {
    try logIn(
      flx_credentials_t(kind: .FLX_CREDENTIALS_ANONYMOUS, name: flx_string_t(), secret: flx_string_t())
    )
  }

  private func logIn(_ credentials: flx_credentials_t) throws -> CUser {
    var credentials = credentials
    var user: OpaquePointer?
    try check { flx_app_log_in_blocking(handle, &credentials, &user, $0) }
    return try CUser(user ?? { throw CoreError.invalidArgument("no user") }())
  }

  var currentUser: CUser? { flx_app_get_current_user(handle).map(CUser.init) }

  var userIDs: [String] {
    (0..<flx_app_user_count(handle)).compactMap { flx_app_get_user_at(handle, $0).map(CUser.init)?.id }
  }
}

/// A user through the C functions.
final class CUser: @unchecked Sendable {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flx_user_release(handle) }

  /// The object behind the handle.
  var user: User { withExtendedLifetime(self) { Handle.object(handle) } }

  var id: String { flx_user_id(handle).text }
  var provider: String { flx_user_provider(handle).text }
  var state: flx_user_state_t { flx_user_get_state(handle) }

  var accessToken: String? {
    guard let token = flx_user_access_token_copy(handle) else { return nil }
    defer { flx_free(token) }
    return String(cString: token)
  }

  func logOut() throws { try check { flx_user_log_out_blocking(handle, $0) } }

  func remove() throws {
    try user.app.runtime.blocking { (blocker: Blocker<Result<Void, CoreError>>) in
      let context = Unmanaged.passRetained(blocker)
      flx_user_remove(
        handle,
        { userdata, error in
          guard let userdata else { return }
          let blocker = Unmanaged<Blocker<Result<Void, CoreError>>>.fromOpaque(userdata).takeUnretainedValue()
          blocker.deliver(error.map { .failure(CoreError($0.pointee)) } ?? .success(()))
        },
        context.toOpaque(),
        { userdata in
          guard let userdata else { return }
          Unmanaged<Blocker<Result<Void, CoreError>>>.fromOpaque(userdata).release()
        }
      )
    }.get()
  }
}

/// Turns the status of a C function into a thrown error.
func check(_ body: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) throws {
  var error = flx_error_t()
  let status = body(&error)
  guard status != .FLX_STATUS_OK else { return }
  throw CoreError(error)
}
