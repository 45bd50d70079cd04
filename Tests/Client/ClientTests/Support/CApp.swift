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

  /// Logs in with credentials that are one text.
  func logIn(_ kind: flx_credentials_kind_t, _ secret: String = "") throws -> CUser {
    try secret.withCText { secret in
      try logIn(flx_credentials_t(kind: kind, name: flx_string_t(), secret: secret))
    }
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

  func remove() throws { try check { flx_user_remove_blocking(handle, $0) } }

  func delete() throws { try check { flx_user_delete_blocking(handle, $0) } }

  func refreshCustomData() throws { try check { flx_user_refresh_custom_data_blocking(handle, $0) } }

  /// The custom data as JSON.
  var customData: String? { Self.take(flx_user_custom_data_copy(handle)) }

  /// The profile as JSON.
  var profile: String? { Self.take(flx_user_profile_copy(handle)) }

  /// "provider id" of each identity.
  var identities: [String] {
    var count = 0
    let array = flx_user_identities_copy(handle, &count)
    defer { flx_free(array) }
    return UnsafeBufferPointer(start: array, count: count).map { "\($0.provider.text) \($0.id.text)" }
  }

  func link(_ kind: flx_credentials_kind_t, name: String = "", _ secret: String) throws {
    try name.withCText { name in
      try secret.withCText { secret in
        var credentials = flx_credentials_t(kind: kind, name: name, secret: secret)
        try check { flx_user_link_blocking(handle, &credentials, $0) }
      }
    }
  }

  var sessions: [TestSession] {
    (0..<flx_user_session_count(handle)).compactMap { index in
      flx_user_get_session_at(handle, index).map(TestSession.init)
    }
  }

  func call(_ name: String, _ arguments: String, service: String = "") throws -> String? {
    var result: UnsafeMutablePointer<CChar>?
    try name.withCText { name in
      try arguments.withCText { arguments in
        try service.withCText { service in
          try check { flx_user_call_function_blocking(handle, name, arguments, service, &result, $0) }
        }
      }
    }
    return Self.take(result)
  }

  func registerPush(_ service: String, token: String) throws {
    try service.withCText { service in
      try token.withCText { token in
        try check { flx_user_register_push_blocking(handle, service, token, $0) }
      }
    }
  }

  private static func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text else { return nil }
    defer { flx_free(text) }
    return String(cString: text)
  }
}

// MARK: - API keys

/// An API key as C tells of it.
struct CKey: Equatable {
  let id: String
  let name: String
  let key: String
  let isDisabled: Bool

  init(_ key: flx_api_key_t) {
    id = "\(key.id.model)"
    name = key.name.text
    self.key = key.key.text
    isDisabled = key.is_disabled
  }
}

extension CUser {
  func createAPIKey(_ name: String) throws -> CKey {
    try name.withCText { name in
      try oneKey { flx_user_create_api_key_blocking(handle, name, $0, $1) }
    }
  }

  func fetchAPIKey(_ id: String) throws -> CKey {
    var id = try Self.objectID(id)
    return try oneKey { flx_user_fetch_api_key_blocking(handle, &id, $0, $1) }
  }

  func fetchAPIKeys() throws -> [CKey] {
    var keys: UnsafeMutablePointer<flx_api_key_t>?
    var count = 0
    try check { flx_user_fetch_api_keys_blocking(handle, &keys, &count, $0) }
    defer { flx_free(keys) }
    return UnsafeBufferPointer(start: keys, count: count).map(CKey.init)
  }

  func enableAPIKey(_ id: String) throws {
    var id = try Self.objectID(id)
    try check { flx_user_enable_api_key_blocking(handle, &id, $0) }
  }

  func disableAPIKey(_ id: String) throws {
    var id = try Self.objectID(id)
    try check { flx_user_disable_api_key_blocking(handle, &id, $0) }
  }

  func deleteAPIKey(_ id: String) throws {
    var id = try Self.objectID(id)
    try check { flx_user_delete_api_key_blocking(handle, &id, $0) }
  }

  private func oneKey(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<flx_api_key_t>?>, UnsafeMutablePointer<flx_error_t>)
      -> flx_status_t
  ) throws -> CKey {
    var key: UnsafeMutablePointer<flx_api_key_t>?
    try check { body(&key, $0) }
    defer { flx_free(key) }
    guard let key else { throw CoreError.invalidArgument("no key") }
    return CKey(key.pointee)
  }

  private static func objectID(_ text: String) throws -> flx_object_id_t {
    var id = flx_object_id_t()
    guard text.withCText({ flx_object_id_parse($0, &id) }) else { throw CoreError.invalidArgument("no id") }
    return id
  }
}

/// Turns the status of a C function into a thrown error.
func check(_ body: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) throws {
  var error = flx_error_t()
  let status = body(&error)
  guard status != .FLX_STATUS_OK else { return }
  throw CoreError(error)
}
