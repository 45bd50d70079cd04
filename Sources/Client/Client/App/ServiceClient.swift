// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport

/// The client side of the HTTP API for apps and users (RealmClients §1): locates the server, sends requests and
/// reads answers. Confined to the loop.
final class ServiceClient: @unchecked Sendable {
  typealias Completion<Value> = @Sendable (Result<Value, CoreError>) -> Void

  private let configuration: AppConfiguration
  private let loop: EventLoop
  private let client: HTTPClient
  private var location: Location?
  private var locationWaiters: [Completion<Location>] = []

  /// - Parameter tls: the certificate authorities to trust; nil for the system's.
  init(configuration: AppConfiguration, loop: EventLoop, tls: TLSContext?) {
    self.configuration = configuration
    self.loop = loop
    client = HTTPClient(loop: loop, tls: tls)
  }

  // MARK: - Location

  /// Determines where the app is served, asking the server only once, on first use.
  func locate(completion: @escaping Completion<Location>) {
    loop.assertInLoop()
    if let location { return completion(.success(location)) }
    locationWaiters.append(completion)
    guard locationWaiters.count == 1 else { return }
    perform(.location(configuration), base: configuration.baseURL) { [self] in finishLocating($0) }
  }

  /// Forgets the location, because the server may have moved.
  func forgetLocation() { location = nil }

  private func finishLocating(_ result: Result<JSON, CoreError>) {
    let found = result.tryMap { try Location($0, configuration: configuration) }
    if case .success(let found) = found { location = found }
    let waiting = locationWaiters
    locationWaiters = []
    for completion in waiting { completion(found) }
  }

  // MARK: - Requests

  /// Sends a request and reads the answer, which is null if the body is empty.
  func send(_ request: ServiceRequest, completion: @escaping Completion<JSON>) {
    locate { [self] result in
      switch result {
      case .success(let location): perform(request, base: location.hostname, completion: completion)
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  private func perform(_ request: ServiceRequest, base: String, completion: @escaping Completion<JSON>) {
    let url: WebURL
    do throws(TransportError) {
      url = try WebURL(parsing: base + request.route)
    } catch {
      return completion(.failure(CoreError.invalidArgument("cannot \(request.action): \(error)")))
    }
    let message = HTTPClientRequest(
      method: request.method,
      url: url,
      headers: Self.headers(request),
      body: request.body.map { Array($0.serialized.utf8) } ?? []
    )
    client.send(message, timeoutMilliseconds: configuration.requestTimeoutMilliseconds) { result in
      completion(
        result.mapError { ServiceAnswer.failure($0, action: request.action) }
          .tryMap { try ServiceAnswer.content(of: $0, action: request.action) }
      )
    }
  }

  private static func headers(_ request: ServiceRequest) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "Content-Type": "application/json;charset=utf-8", "Accept": "application/json",
    ]
    if let token = request.token { headers["Authorization"] = "Bearer \(token)" }
    return headers
  }
}
