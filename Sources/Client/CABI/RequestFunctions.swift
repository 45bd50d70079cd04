// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncTransport

// MARK: - Times

@_cdecl("flx_app_set_sync_timeouts") @implementation
public func flx_app_set_sync_timeouts(
  _ app: OpaquePointer,
  _ timeouts: In<flx_sync_timeouts_t>,
  _ error: ErrorOut
) -> flx_status_t {
  App.call(app, error, Needed(timeouts, "timeouts")) { app in
    let timeouts = try SizedStruct.copy(
      timeouts,
      zeroed: flx_sync_timeouts_t(),
      smallest: MemoryLayout<flx_sync_timeouts_t>.size,
      name: "flx_sync_timeouts_t"
    )
    app.updateSettings { $0.timeouts = ConnectionTimeouts(timeouts) }
  }
}

extension ConnectionTimeouts {
  /// Anything longer than a century counts as forever.
  static let longest: UInt64 = 3_155_760_000_000

  fileprivate init(_ timeouts: flx_sync_timeouts_t) {
    self.init()
    func set(_ time: WritableKeyPath<ConnectionTimeouts, UInt64>, _ value: UInt64) {
      if value > 0 { self[keyPath: time] = min(value, Self.longest) }
    }
    set(\.connect, timeouts.connect_ms)
    set(\.linger, timeouts.connection_linger_ms)
    set(\.pingPeriod, timeouts.ping_period_ms)
    set(\.pongTimeout, timeouts.pong_timeout_ms)
    set(\.fastReconnect, timeouts.fast_reconnect_ms)
  }
}

// MARK: - Headers

@_cdecl("flx_app_set_request_headers") @implementation
public func flx_app_set_request_headers(
  _ app: OpaquePointer,
  _ headers: In<flx_http_header_t>?,
  _ count: Int,
  _ error: ErrorOut
) -> flx_status_t {
  App.call(app, error) { app in
    let fields = try HTTPHeaders(headers, count: count).fields
    for field in fields { try HTTPHeaders.checkName(field.name) }
    app.updateSettings { $0.headers = fields }
    app.restartSessions()
  }
}

@_cdecl("flx_app_set_authorization_header") @implementation
public func flx_app_set_authorization_header(_ app: OpaquePointer, _ name: flx_string_t, _ error: ErrorOut)
  -> flx_status_t
{
  App.call(app, error) { app in
    let name = try name.text("name")
    if !name.isEmpty { try HTTPHeaders.checkName(name) }
    app.updateSettings {
      $0.authorizationHeader = name.isEmpty ? RequestSettings.standardAuthorizationHeader : name
    }
    app.restartSessions()
  }
}

@_cdecl("flx_app_set_user_agent") @implementation
public func flx_app_set_user_agent(_ app: OpaquePointer, _ text: flx_string_t, _ error: ErrorOut)
  -> flx_status_t
{
  App.call(app, error) { app in
    let text = try text.text("text")
    app.updateSettings { $0.userAgent = text }
  }
}

extension HTTPHeaders {
  /// Copies the headers that C passes.
  init(_ headers: In<flx_http_header_t>?, count: Int) throws {
    self.init()
    for header in try CArray.view(headers, count: count, "headers") {
      append(try header.name.text("the name of a header"), try header.value.text("the value of a header"))
    }
  }

  /// - Throws: `CoreError` INVALID_ARGUMENT unless the name is a token of HTTP (RFC 9110 §5.6.2).
  fileprivate static func checkName(_ name: String) throws {
    let isToken =
      !name.isEmpty
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !#""(),/:;<=>?@[\]{}"#.utf8.contains($0) }
    guard isToken else { throw CoreError.invalidArgument("'\(name)' cannot be the name of an HTTP header") }
  }
}

// MARK: - Base URL

@_cdecl("flx_app_base_url_copy") @implementation
public func flx_app_base_url_copy(_ app: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
  Handle.object(app, as: App.self).service.baseURL.copiedForC()
}

@_cdecl("flx_app_update_base_url") @implementation
public func flx_app_update_base_url(
  _ app: OpaquePointer,
  _ base_url: flx_string_t,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  App.start(app, Completion(completion, Userdata(userdata, free_userdata))) {
    try $0.updateBaseURL(try base_url.text("base_url"), completion: $1)
  }
}

@_cdecl("flx_app_update_base_url_blocking") @implementation
public func flx_app_update_base_url_blocking(
  _ app: OpaquePointer,
  _ base_url: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  App.block(app, error) { try $0.updateBaseURL(try base_url.text("base_url"), completion: $1) }
}
