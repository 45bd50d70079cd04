// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTransport

/// The client side of the HTTP API for apps and users (peer-client §1). Confined to the loop.
final class ServiceClient: @unchecked Sendable {
  /// What a login gives.
  struct Login: Sendable {
    let userID: String
    let tokens: UserRecord.Tokens
  }

  private struct Request: Sendable {
    let method: String
    /// Below the host name of the app.
    let route: String
    var body: JSON?
    /// For the `Authorization` header.
    var token: String?
    /// What is tried, as in "cannot *log in*".
    let action: String
  }

  typealias Completion<Value> = @Sendable (Result<Value, CoreError>) -> Void

  private let configuration: AppConfiguration
  private let loop: EventLoop
  private let client: HTTPClient
  private var location: Location?
  private var locationWaiters: [Completion<Location>] = []

  /// - Parameter tls: whom to trust; nil for the system's certificate authorities.
  init(configuration: AppConfiguration, loop: EventLoop, tls: TLSContext?) {
    self.configuration = configuration
    self.loop = loop
    client = HTTPClient(loop: loop, tls: tls)
  }

  private static let providers = "/auth/providers"
  private static let session = "/api/client/v2.0/auth/session"

  func register(email: String, password: String, completion: @escaping Completion<Void>) {
    let request = Request(
      method: "POST",
      route: "\(configuration.appRoute)\(Self.providers)/local-userpass/register",
      body: ["email": .string(email), "password": .string(password)],
      action: "register '\(email)' at \(configuration.baseURL)"
    )
    send(request) { completion($0.map { _ in () }) }
  }

  func logIn(_ credentials: Credentials, completion: @escaping Completion<Login>) {
    let request = Request(
      method: "POST",
      route: "\(configuration.appRoute)\(Self.providers)/\(credentials.provider)/login",
      body: credentials.body(appID: configuration.appID),
      action: "log in at \(configuration.baseURL)"
    )
    send(request) { result in
      completion(result.flatMap { answer in CoreError.catching { try Self.login(answer, request.action) } })
    }
  }

  private static func login(_ answer: JSON, _ action: String) throws -> Login {
    let access = try ServiceAnswer.required("access_token", in: answer, action: action)
    let refresh = try ServiceAnswer.required("refresh_token", in: answer, action: action)
    guard JSONWebToken(access) != nil else {
      throw CoreError(.FLX_STATUS_BAD_RESPONSE, "cannot \(action): the access token is no JSON web token")
    }
    return Login(
      userID: try ServiceAnswer.required("user_id", in: answer, action: action),
      tokens: UserRecord.Tokens(access: access, refresh: refresh)
    )
  }

  /// Gets a new access token.
  func refresh(_ refreshToken: String, completion: @escaping Completion<String>) {
    let request = Request(
      method: "POST",
      route: Self.session,
      token: refreshToken,
      action: "refresh the login"
    )
    send(request) { result in
      completion(
        result.flatMap { answer in
          CoreError.catching {
            try ServiceAnswer.required("access_token", in: answer, action: request.action)
          }
        }
      )
    }
  }

  func logOut(refreshToken: String, completion: @escaping Completion<Void>) {
    let request = Request(
      method: "DELETE",
      route: Self.session,
      token: refreshToken,
      action: "log out at the server"
    )
    send(request) { completion($0.map { _ in () }) }
  }

  // MARK: - Location

  /// Where the app is served; asked for once, at the first need.
  func locate(completion: @escaping Completion<Location>) {
    loop.assertInLoop()
    if let location { return completion(.success(location)) }
    locationWaiters.append(completion)
    guard locationWaiters.count == 1 else { return }
    let request = Request(
      method: "GET",
      route: "\(configuration.appRoute)/location",
      action: "find the app '\(configuration.appID)' at \(configuration.baseURL)"
    )
    perform(request, base: configuration.baseURL) { [self] in finishLocating($0) }
  }

  /// Forgets the location: the server has moved.
  func forgetLocation() { location = nil }

  private func finishLocating(_ result: Result<JSON, CoreError>) {
    let found = result.flatMap { answer in
      CoreError.catching { try Location(answer, configuration: configuration) }
    }
    if case .success(let found) = found { location = found }
    let waiting = locationWaiters
    locationWaiters = []
    for completion in waiting { completion(found) }
  }

  // MARK: - Requests

  private func send(_ request: Request, completion: @escaping Completion<JSON>) {
    locate { [self] result in
      switch result {
      case .success(let location): perform(request, base: location.hostname, completion: completion)
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  private func perform(_ request: Request, base: String, completion: @escaping Completion<JSON>) {
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
          .flatMap { response in
            CoreError.catching { try ServiceAnswer.content(of: response, action: request.action) }
          }
      )
    }
  }

  private static func headers(_ request: Request) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "Content-Type": "application/json;charset=utf-8", "Accept": "application/json",
    ]
    if let token = request.token { headers["Authorization"] = "Bearer \(token)" }
    return headers
  }
}
