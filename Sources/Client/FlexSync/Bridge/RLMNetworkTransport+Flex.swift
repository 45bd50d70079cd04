// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension AppHandle {
  /// Makes the library pass its HTTP requests to `transport`; nil makes it perform them itself.
  func setTransport(_ transport: RLMNetworkTransport?) {
    guard let transport else { return flx_app_set_http_transport(pointer, nil, nil, nil) }
    let box = CallbackBox<RLMNetworkTransport>.retained(transport)
    flx_app_set_http_transport(pointer, callTransport, box, freeCallbackBox)
  }

  /// Performs a request with the library's own HTTP client.
  func perform(_ request: RLMRequest, _ completion: @escaping RLMNetworkTransportCompletionBlock) {
    let box = CallbackBox<RLMNetworkTransportCompletionBlock>.retained(completion)
    request.withFlex { flx_app_perform_http_request(pointer, $0, callResponse, box, freeCallbackBox) }
  }
}

private let callTransport: flx_http_transport_t = { box, app, request, completion, userdata in
  let transport = CallbackBox<RLMNetworkTransport>.callback(in: box)
  let receiver = ResponseReceiver(completion: completion, userdata: userdata)
  let request = RLMRequest(request.pointee, AppHandle(sharing: app))
  transport.sendRequest(toServer: request) { receiver.receive($0) }
}

/// The function of the library that takes the response to one request.
private struct ResponseReceiver: @unchecked Sendable {
  // The library accepts the response on any thread.
  let completion: flx_http_completion_t
  let userdata: UnsafeMutableRawPointer?

  func receive(_ response: RLMResponse) {
    guard response.customStatusCode == 0 else { return fail(response) }
    let arena = TextArena()
    let headers = arena.headers(response.headers)
    withExtendedLifetime(arena) {
      headers.withUnsafeBufferPointer { headers in
        var answer = flx_http_response_t()
        answer.status = Int32(clamping: response.httpStatusCode)
        answer.headers = headers.baseAddress
        answer.header_count = headers.count
        answer.body = arena.text(response.body)
        completion(userdata, &answer, nil)
      }
    }
  }

  private func fail(_ response: RLMResponse) {
    var error = flx_error_t()
    error.status = .FLX_STATUS_CONNECTION_FAILED
    error.code = Int32(clamping: response.customStatusCode)
    withUnsafeMutableBytes(of: &error.message) { $0.copyBytes(from: response.body.utf8.prefix($0.count - 1)) }
    completion(userdata, nil, &error)
  }
}

private let callResponse: flx_http_completion_t = { box, response, error in
  let answer = RLMResponse()
  if let response = response?.pointee {
    answer.httpStatusCode = Int(response.status)
    answer.headers = .init(response.headers, count: response.header_count)
    answer.body = String(response.body)
  } else if let error {
    let failure = StatusError(error.pointee)
    answer.customStatusCode = Int(failure.status.rawValue)
    answer.body = failure.message
  }
  CallbackBox<RLMNetworkTransportCompletionBlock>.callback(in: box)(answer)
}

// MARK: - Messages

extension RLMRequest {
  fileprivate convenience init(_ request: flx_http_request_t, _ app: AppHandle) {
    self.init(of: app)
    method = RLMHTTPMethod(name: String(request.method))
    url = String(request.url)
    timeout = TimeInterval(request.timeout_ms) / 1000
    headers = .init(request.headers, count: request.header_count)
    body = String(request.body)
  }

  /// Lends the request to C for the duration of `use`.
  fileprivate func withFlex(_ use: (UnsafePointer<flx_http_request_t>) -> Void) {
    let arena = TextArena()
    let headers = arena.headers(headers)
    withExtendedLifetime(arena) {
      headers.withUnsafeBufferPointer { headers in
        var request = flx_http_request_t()
        request.method = arena.text("\(method)")
        request.url = arena.text(url)
        request.headers = headers.baseAddress
        request.header_count = headers.count
        request.body = arena.text(body)
        request.timeout_ms = UInt64(exactly: (timeout * 1000).rounded()) ?? 60_000
        use(&request)
      }
    }
  }
}

extension RLMHTTPMethod {
  /// The library uses no others.
  fileprivate init(name: String) {
    switch name {
    case "POST": self = .POST
    case "PATCH": self = .PATCH
    case "PUT": self = .PUT
    case "DELETE": self = .DELETE
    default: self = .GET
    }
  }
}

extension TextArena {
  func headers(_ headers: [String: String]) -> [flx_http_header_t] {
    headers.map { flx_http_header_t(name: text($0.key), value: text($0.value)) }
  }
}

extension [String: String] {
  /// Copies headers that C lends. Of those with the same name, the last one counts.
  fileprivate init(_ headers: UnsafePointer<flx_http_header_t>?, count: Int) {
    self.init(
      UnsafeBufferPointer(start: headers, count: count).map { (String($0.name), String($0.value)) },
      uniquingKeysWith: { _, last in last }
    )
  }
}
