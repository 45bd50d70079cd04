// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport
import Synchronization

/// The client side of the HTTP API for apps and users (RealmClients §1): locates the server, sends requests and
/// reads answers. Confined to the loop.
final class ServiceClient: @unchecked Sendable {
  typealias Completion<Value> = @Sendable (Result<Value, CoreError>) -> Void

  private let configuration: AppConfiguration
  private let loop: EventLoop
  private let client: HTTPClient
  /// The URL at which the app is looked for. Any thread.
  private let base: Mutex<String>
  private var location: Location?
  private var locationWaiters: [Completion<Location>] = []
  private let settings: SharedRequestSettings

  /// - Parameter tls: the certificate authorities to trust; nil for the system's.
  init(
    configuration: AppConfiguration,
    _ settings: SharedRequestSettings,
    loop: EventLoop,
    tls: TLSContext?
  ) {
    self.configuration = configuration
    self.settings = settings
    self.loop = loop
    client = HTTPClient(loop: loop, tls: tls)
    base = Mutex(configuration.baseURL)
  }

  // MARK: - Location

  /// The URL at which the app is looked for. Any thread.
  var baseURL: String { base.withLock { $0 } }

  /// Determines where the app is served, asking the server only once, on first use.
  func locate(completion: @escaping Completion<Location>) {
    loop.assertInLoop()
    if let location { return completion(.success(location)) }
    locationWaiters.append(completion)
    guard locationWaiters.count == 1 else { return }
    let asked = baseURL
    askForLocation(at: asked) { [self] in finishLocating($0, asked: asked) }
  }

  /// Forgets the location, because the server may have moved.
  func forgetLocation() { location = nil }

  /// Looks for the app at another URL, and keeps to that URL if the app is there.
  func move(to baseURL: String, completion: @escaping Completion<Void>) {
    askForLocation(at: baseURL) { [self] result in
      if case .success(let found) = result {
        base.withLock { $0 = baseURL }
        location = found
      }
      completion(result.map { _ in () })
    }
  }

  private func askForLocation(at baseURL: String, completion: @escaping Completion<Location>) {
    perform(.location(configuration, baseURL: baseURL), base: baseURL) { [configuration] result in
      completion(result.tryMap { try Location($0, baseURL: baseURL, configuration: configuration) })
    }
  }

  private func finishLocating(_ found: Result<Location, CoreError>, asked: String) {
    // The app may have moved in the meantime.
    if asked == baseURL, case .success(let found) = found { location = found }
    let waiting = locationWaiters
    locationWaiters = []
    for completion in waiting { completion(location.map { .success($0) } ?? found) }
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
    let settings = settings.current
    let message: HTTPClientRequest
    do throws(TransportError) {
      message = try Self.message(request, base: base, settings)
    } catch {
      return completion(.failure(CoreError.invalidArgument("cannot \(request.action): \(error)")))
    }
    perform(message, settings.transport, action: request.action) { result in
      completion(result.tryMap { try ServiceAnswer.content(of: $0, action: request.action) })
    }
  }

  private func perform(
    _ message: HTTPClientRequest,
    _ transport: (any RequestTransport)?,
    action: String,
    completion: @escaping Completion<HTTPResponse>
  ) {
    let timeout = configuration.requestTimeoutMilliseconds
    guard let transport else {
      client.send(message, timeoutMilliseconds: timeout) { result in
        completion(result.mapError { ServiceAnswer.failure($0, action: action) })
      }
      return
    }
    transport.send(message, timeoutMilliseconds: timeout) { [loop] result in
      loop.execute { completion(result) }
    }
  }

  /// An event of a response that is a stream.
  enum StreamEvent: Sendable {
    case opened
    case data([UInt8])
    case ended(Result<Void, CoreError>)
  }

  /// Sends a request whose response is a stream, with the client's own HTTP client.
  ///
  /// - Parameters:
  ///   - onStart: receives the handle for ending the request without further events.
  ///   - onEvent: receives the events. The last one is that the response has ended.
  func stream(
    _ request: ServiceRequest,
    onStart: @escaping @Sendable (PendingOperation) -> Void,
    onEvent: @escaping @Sendable (StreamEvent) -> Void
  ) {
    locate { [self] result in
      let message = result.tryMap { try Self.message(request, base: $0.hostname, settings.current) }
      switch message {
      case .failure(let error): onEvent(.ended(.failure(error)))
      case .success(let message):
        let pending = client.stream(
          message,
          timeoutMilliseconds: configuration.requestTimeoutMilliseconds,
          onOpen: { onEvent(.opened) },
          onData: { onEvent(.data($0)) },
          completion: { result in
            let answer = result.mapError { ServiceAnswer.failure($0, action: request.action) }
            onEvent(.ended(answer.tryMap { _ = try ServiceAnswer.content(of: $0, action: request.action) }))
          }
        )
        onStart(pending)
      }
    }
  }

  /// Performs any request with the client's own HTTP client, on behalf of a transport.
  func forward(
    _ message: HTTPClientRequest,
    timeoutMilliseconds: UInt64,
    completion: @escaping Completion<HTTPResponse>
  ) {
    client.send(message, timeoutMilliseconds: timeoutMilliseconds) { result in
      completion(result.mapError { ServiceAnswer.failure($0, action: "perform the request") })
    }
  }

  private static func message(
    _ request: ServiceRequest,
    base: String,
    _ settings: RequestSettings
  ) throws(TransportError) -> HTTPClientRequest {
    HTTPClientRequest(
      method: request.method,
      url: try WebURL(parsing: base + request.route),
      headers: settings.headers(for: request),
      body: request.body.map { Array($0.serialized.utf8) } ?? []
    )
  }
}
