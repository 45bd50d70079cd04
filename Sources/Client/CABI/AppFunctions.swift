// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// MARK: - Apps

@_cdecl("flx_app_create") @implementation
public func flx_app_create(_ config: In<flx_app_config_t>, _ out_app: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  withStatus(error, Needed(config, "config"), Needed(out_app, "out_app")) {
    let config = try SizedStruct.copy(
      config,
      zeroed: flx_app_config_t(),
      smallest: MemoryLayout<flx_app_config_t>.offset(of: \.trusted_certificates_file) ?? 0,
      name: "flx_app_config_t"
    )
    let hosting = try Runtime.Hosting(config)
    let app = try AppRegistry.app(
      AppConfiguration(config),
      hosting: hosting,
      hostLoop: hosting == .host ? config.uv_loop : nil
    )
    out_app.pointee = Handle.retained(app)
  }
}

extension AppConfiguration {
  fileprivate init(_ config: flx_app_config_t) throws {
    try self.init(
      appID: config.app_id.text("app_id"),
      baseURL: config.base_url.text("base_url"),
      storageDirectory: config.storage_directory.text("storage_directory")
    )
    let certificates = try config.trusted_certificates_file.text("trusted_certificates_file")
    trustedCertificatesFile = certificates.isEmpty ? nil : certificates
    let longest = ConnectionTimeouts.longest
    if config.request_timeout_ms > 0 { requestTimeoutMilliseconds = min(config.request_timeout_ms, longest) }
    if config.connect_timeout_ms > 0 { connectTimeoutMilliseconds = min(config.connect_timeout_ms, longest) }
  }
}

extension Runtime.Hosting {
  /// - Throws: `CoreError` INVALID_ARGUMENT.
  fileprivate init(_ config: flx_app_config_t) throws {
    switch config.loop_mode {
    case .FLX_LOOP_OWN_THREAD: self = .ownThread
    case .FLX_LOOP_POLL: self = .poll
    case .FLX_LOOP_HOST_UV:
      guard config.uv_loop != nil else {
        throw CoreError.invalidArgument("FLX_LOOP_HOST_UV needs the loop in uv_loop")
      }
      self = .host
    default: throw CoreError.invalidArgument("unknown loop_mode: \(config.loop_mode.rawValue)")
    }
  }
}

@_cdecl("flx_app_id") @implementation
public func flx_app_id(_ app: OpaquePointer) -> flx_string_t {
  Handle.object(app, as: App.self).lentID.string
}

@_cdecl("flx_app_poll_descriptor") @implementation
public func flx_app_poll_descriptor(_ app: OpaquePointer) -> Int32 {
  let runtime = Handle.object(app, as: App.self).runtime
  return runtime.hosting == .poll ? runtime.loop.pollDescriptor : -1
}

@_cdecl("flx_app_pump") @implementation
public func flx_app_pump(_ app: OpaquePointer, _ out_next_ms: Out<Int64>, _ error: ErrorOut) -> flx_status_t {
  App.call(app, writing: out_next_ms, "out_next_ms", error) { app in
    guard app.runtime.hosting == .poll else {
      throw CoreError.unsupported("flx_app_pump only works for apps with FLX_LOOP_POLL")
    }
    return Int64(try app.runtime.pump())
  }
}

// MARK: - Users of an app

@_cdecl("flx_app_get_current_user") @implementation
public func flx_app_get_current_user(_ app: OpaquePointer) -> OpaquePointer? {
  Handle.object(app, as: App.self).currentUser.map(Handle.retained)
}

@_cdecl("flx_app_user_count") @implementation
public func flx_app_user_count(_ app: OpaquePointer) -> Int { Handle.object(app, as: App.self).users.count }

@_cdecl("flx_app_get_user_at") @implementation
public func flx_app_get_user_at(_ app: OpaquePointer, _ index: Int) -> OpaquePointer? {
  Handle.retained(Handle.object(app, as: App.self).users, at: index)
}

@_cdecl("flx_app_switch_user") @implementation
public func flx_app_switch_user(_ app: OpaquePointer, _ user: OpaquePointer, _ error: ErrorOut)
  -> flx_status_t
{
  App.call(app, error) { try $0.switchTo(Handle.object(user)) }
}

@_cdecl("flx_free") @implementation
public func flx_free(_ memory: UnsafeMutableRawPointer?) { free(memory) }
