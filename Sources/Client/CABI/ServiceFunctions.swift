// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncJSON

extension FunctionCall {
  fileprivate init(_ name: flx_string_t, _ arguments: flx_string_t, _ service: flx_string_t) throws {
    try self.init(try name.text("name"), arguments, service)
  }

  fileprivate init(_ name: String, _ arguments: flx_string_t, _ service: flx_string_t) throws {
    let service = try service.text("service")
    self.init(
      name: name,
      arguments: try [JSON](functionArguments: arguments),
      service: service.isEmpty ? nil : service
    )
  }
}

@_cdecl("flx_user_call_function") @implementation
public func flx_user_call_function(
  _ user: OpaquePointer,
  _ name: flx_string_t,
  _ arguments: flx_string_t,
  _ service: flx_string_t,
  _ completion: flx_function_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  User.start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.app.call(try FunctionCall(name, arguments, service), of: $0, completion: $1)
  }
}

@_cdecl("flx_user_call_function_blocking") @implementation
public func flx_user_call_function_blocking(
  _ user: OpaquePointer,
  _ name: flx_string_t,
  _ arguments: flx_string_t,
  _ service: flx_string_t,
  _ out_result: Out<UnsafeMutablePointer<CChar>?>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, Needed(out_result, "out_result")) {
    let call = try FunctionCall(name, arguments, service)
    out_result.pointee = try User.block(user) { $0.app.call(call, of: $0, completion: $1) }.copiedForC()
  }
}

@_cdecl("flx_user_watch") @implementation
public func flx_user_watch(
  _ user: OpaquePointer,
  _ arguments: flx_string_t,
  _ service: flx_string_t,
  _ callback: flx_watch_callback_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  User.observe(user, callback, userdata, free_userdata, out_token, error) { user, userdata in
    let call = try FunctionCall("watch", arguments, service)
    return ChangeStream.open(call, of: user) { $0.report(to: callback, userdata) }
  }
}

extension ChangeStream.Event {
  fileprivate func report(to callback: flx_watch_callback_t, _ userdata: Userdata) {
    switch self {
    case .opened, .closed(nil): userdata.lend { callback($0, kind, flx_string_t(), nil) }
    case .changed(let change): change.withCText { text in userdata.lend { callback($0, kind, text, nil) } }
    case .failed(let error), .closed(let error?):
      error.withCError { error in userdata.lend { callback($0, kind, flx_string_t(), error) } }
    }
  }

  private var kind: flx_watch_event_t {
    switch self {
    case .opened: .FLX_WATCH_OPENED
    case .changed: .FLX_WATCH_CHANGED
    case .failed: .FLX_WATCH_FAILED
    case .closed: .FLX_WATCH_CLOSED
    }
  }
}

// MARK: - Push messages

/// Starts a change of the registration for push messages.
private func register(
  _ user: User,
  _ service: flx_string_t,
  _ token: flx_string_t,
  _ completion: @escaping Completion<Void>.Report
) throws {
  let (service, token) = (try service.text("service"), try token.text("token"))
  user.app.registerPush(service, token: token.isEmpty ? nil : token, of: user, completion: completion)
}

@_cdecl("flx_user_register_push") @implementation
public func flx_user_register_push(
  _ user: OpaquePointer,
  _ service: flx_string_t,
  _ token: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  User.start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    try register($0, service, token, $1)
  }
}

@_cdecl("flx_user_register_push_blocking") @implementation
public func flx_user_register_push_blocking(
  _ user: OpaquePointer,
  _ service: flx_string_t,
  _ token: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  User.block(user, error) { try register($0, service, token, $1) }
}
