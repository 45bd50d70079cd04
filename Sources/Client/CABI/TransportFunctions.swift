// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncTransport

@_cdecl("flx_app_perform_http_request") @implementation
public func flx_app_perform_http_request(
  _ app: OpaquePointer,
  _ request: In<flx_http_request_t>,
  _ completion: flx_http_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(request, "request"))
  App.start(app, Completion(completion, Userdata(userdata, free_userdata))) { app, report in
    let (message, timeout) = (try HTTPClientRequest(request.pointee), request.pointee.timeout_ms)
    app.post { app.service.forward(message, timeoutMilliseconds: timeout, completion: report) }
  }
}

/// Performs requests with a function of the program.
final class ProgramTransport: RequestTransport {
  /// Receives the response to one request, once.
  private final class Receiver: Sendable {
    let completion: @Sendable (Result<HTTPResponse, CoreError>) -> Void

    init(_ completion: @escaping @Sendable (Result<HTTPResponse, CoreError>) -> Void) {
      self.completion = completion
    }
  }

  /// Nil once the app, which has this transport, has ended.
  private let app: WeakReference<App>
  private let callback: flx_http_transport_t
  private let userdata: Userdata

  init(_ app: App, callback: @escaping flx_http_transport_t, userdata: Userdata) {
    self.app = WeakReference(app)
    self.callback = callback
    self.userdata = userdata
  }

  func send(
    _ request: HTTPClientRequest,
    timeoutMilliseconds: UInt64,
    completion: @escaping @Sendable (Result<HTTPResponse, CoreError>) -> Void
  ) {
    guard let app = app.object else { return }
    let receiver = Unmanaged.passRetained(Receiver(completion)).toOpaque()
    Handle.lend(app, to: "flx_http_transport_t") { app in
      request.withC(timeoutMilliseconds: timeoutMilliseconds) {
        callback(userdata.pointer, app, $0, Self.receive, receiver)
      }
    }
  }

  private static let receive: flx_http_completion_t = { receiver, response, error in
    guard let receiver else { return }
    let result = CoreError.catching {
      if let error { throw CoreError(error.pointee) }
      guard let response else {
        throw CoreError.invalidArgument("a transport gave neither response nor error")
      }
      return try HTTPResponse(response.pointee)
    }
    Unmanaged<Receiver>.fromOpaque(receiver).takeRetainedValue().completion(result)
  }
}

// MARK: - Messages

extension HTTPClientRequest {
  fileprivate init(_ request: flx_http_request_t) throws {
    try Reserved.requireZero(request.reserved, of: "flx_http_request_t")
    let address = try request.url.text("url")
    self.init(
      method: try request.method.text("method"),
      url: try CoreError.catching { try WebURL(parsing: address) }
        .mapError { CoreError.invalidArgument($0.message) }.get(),
      headers: try HTTPHeaders(request.headers, count: request.header_count),
      body: try request.body.rawBytes("body")
    )
  }

  /// Lends the request to C for the duration of `use`.
  fileprivate func withC(timeoutMilliseconds: UInt64, _ use: (In<flx_http_request_t>) -> Void) {
    var texts = TextArena()
    let fields = texts.headers(headers)
    fields.withUnsafeBufferPointer { fields in
      var request = flx_http_request_t()
      request.method = texts.keep(method)
      request.url = texts.keep(url.description)
      request.headers = fields.baseAddress
      request.header_count = fields.count
      request.body = body.withUnsafeBytes { texts.copy($0) }
      request.timeout_ms = timeoutMilliseconds
      use(&request)
    }
    texts.removeAll()
  }
}

extension HTTPResponse {
  fileprivate init(_ response: flx_http_response_t) throws {
    try Reserved.requireZero(response.reserved, of: "flx_http_response_t")
    guard (100...999).contains(response.status) else {
      throw CoreError.invalidArgument("a transport gave the impossible status \(response.status)")
    }
    self.init(
      status: Int(response.status),
      headers: try HTTPHeaders(response.headers, count: response.header_count),
      body: try response.body.rawBytes("body")
    )
  }

  /// Lends the response to C for the duration of `use`.
  func withC(_ use: (In<flx_http_response_t>) -> Void) {
    var texts = TextArena()
    let fields = texts.headers(headers)
    fields.withUnsafeBufferPointer { fields in
      var response = flx_http_response_t()
      response.status = Int32(clamping: status)
      response.headers = fields.baseAddress
      response.header_count = fields.count
      response.body = body.withUnsafeBytes { texts.copy($0) }
      use(&response)
    }
    texts.removeAll()
  }
}

extension TextArena {
  fileprivate mutating func headers(_ headers: HTTPHeaders) -> [flx_http_header_t] {
    var result: [flx_http_header_t] = []
    for field in headers.fields {
      result.append(flx_http_header_t(name: keep(field.name), value: keep(field.value)))
    }
    return result
  }
}

extension flx_string_t {
  /// Copies the bytes that C passed, whatever they are.
  fileprivate func rawBytes(_ name: String) throws -> [UInt8] {
    guard size >= 0, data != nil || size == 0 else {
      throw CoreError.invalidArgument("\(name) is NULL, but its size is \(UInt(bitPattern: size)).")
    }
    return Array(UnsafeRawBufferPointer(start: data, count: size))
  }
}
