// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncJSON

/// Starts a request about an account with email and password.
private func start(
  _ app: OpaquePointer,
  _ completion: Completion<Void>,
  function: StaticString = #function,
  _ request: () throws -> EmailPasswordRequest
) {
  App.start(app, completion, function: function) { $0.perform(try request(), completion: $1) }
}

/// Performs such a request and waits for it.
private func block(
  _ app: OpaquePointer,
  _ error: ErrorOut,
  function: StaticString = #function,
  _ request: () throws -> EmailPasswordRequest
) -> flx_status_t {
  App.block(app, error, function: function) { $0.perform(try request(), completion: $1) }
}

extension EmailPasswordRequest {
  fileprivate static func register(_ email: flx_string_t, _ password: flx_string_t) throws -> Self {
    .register(email: try email.text("email"), password: try password.text("password"))
  }

  fileprivate static func confirm(_ token: flx_string_t, _ tokenID: flx_string_t) throws -> Self {
    .confirm(token: try token.text("token"), tokenID: try tokenID.text("token_id"))
  }

  fileprivate static func reset(_ password: flx_string_t, _ token: flx_string_t, _ tokenID: flx_string_t)
    throws
    -> Self
  {
    .reset(
      password: try password.text("password"),
      token: try token.text("token"),
      tokenID: try tokenID.text("token_id")
    )
  }

  fileprivate static func callResetFunction(
    _ email: flx_string_t,
    _ password: flx_string_t,
    _ arguments: flx_string_t
  ) throws -> Self {
    .callResetFunction(
      email: try email.text("email"),
      password: try password.text("password"),
      arguments: try [JSON](functionArguments: arguments)
    )
  }
}

@_cdecl("flx_app_register_email") @implementation
public func flx_app_register_email(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ password: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(app, Completion(completion, Userdata(userdata, free_userdata))) { try .register(email, password) }
}

@_cdecl("flx_app_register_email_blocking") @implementation
public func flx_app_register_email_blocking(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ password: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  block(app, error) { try .register(email, password) }
}

@_cdecl("flx_app_confirm_email") @implementation
public func flx_app_confirm_email(
  _ app: OpaquePointer,
  _ token: flx_string_t,
  _ token_id: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(app, Completion(completion, Userdata(userdata, free_userdata))) { try .confirm(token, token_id) }
}

@_cdecl("flx_app_confirm_email_blocking") @implementation
public func flx_app_confirm_email_blocking(
  _ app: OpaquePointer,
  _ token: flx_string_t,
  _ token_id: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  block(app, error) { try .confirm(token, token_id) }
}

@_cdecl("flx_app_resend_confirmation") @implementation
public func flx_app_resend_confirmation(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(app, Completion(completion, Userdata(userdata, free_userdata))) {
    .resendConfirmation(email: try email.text("email"))
  }
}

@_cdecl("flx_app_resend_confirmation_blocking") @implementation
public func flx_app_resend_confirmation_blocking(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  block(app, error) { .resendConfirmation(email: try email.text("email")) }
}

@_cdecl("flx_app_retry_confirmation_function") @implementation
public func flx_app_retry_confirmation_function(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(app, Completion(completion, Userdata(userdata, free_userdata))) {
    .retryConfirmationFunction(email: try email.text("email"))
  }
}

@_cdecl("flx_app_retry_confirmation_function_blocking") @implementation
public func flx_app_retry_confirmation_function_blocking(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  block(app, error) { .retryConfirmationFunction(email: try email.text("email")) }
}

@_cdecl("flx_app_send_password_reset") @implementation
public func flx_app_send_password_reset(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(app, Completion(completion, Userdata(userdata, free_userdata))) {
    .sendReset(email: try email.text("email"))
  }
}

@_cdecl("flx_app_send_password_reset_blocking") @implementation
public func flx_app_send_password_reset_blocking(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  block(app, error) { .sendReset(email: try email.text("email")) }
}

@_cdecl("flx_app_reset_password") @implementation
public func flx_app_reset_password(
  _ app: OpaquePointer,
  _ password: flx_string_t,
  _ token: flx_string_t,
  _ token_id: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(app, Completion(completion, Userdata(userdata, free_userdata))) {
    try .reset(password, token, token_id)
  }
}

@_cdecl("flx_app_reset_password_blocking") @implementation
public func flx_app_reset_password_blocking(
  _ app: OpaquePointer,
  _ password: flx_string_t,
  _ token: flx_string_t,
  _ token_id: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  block(app, error) { try .reset(password, token, token_id) }
}

@_cdecl("flx_app_call_password_reset_function") @implementation
public func flx_app_call_password_reset_function(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ password: flx_string_t,
  _ arguments: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(app, Completion(completion, Userdata(userdata, free_userdata))) {
    try .callResetFunction(email, password, arguments)
  }
}

@_cdecl("flx_app_call_password_reset_function_blocking") @implementation
public func flx_app_call_password_reset_function_blocking(
  _ app: OpaquePointer,
  _ email: flx_string_t,
  _ password: flx_string_t,
  _ arguments: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  block(app, error) { try .callResetFunction(email, password, arguments) }
}
