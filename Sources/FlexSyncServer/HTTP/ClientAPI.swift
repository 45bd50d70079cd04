// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Logging

/// The App Services client API over HTTP: location, log-in, profile, sessions, API keys (peer-client §1).
final class ClientAPI {
  typealias Answer = (APIResponse) -> Void

  static let prefix = "/api/client/v2.0"

  private let services: [String: AccountService]
  private let signer: TokenSigner
  private let clock: WallClock
  private let origin: PublicOrigin
  private let logger: Logger

  init(
    services: [String: AccountService],
    signer: TokenSigner,
    clock: WallClock,
    origin: PublicOrigin,
    logger: Logger
  ) {
    self.services = services
    self.signer = signer
    self.clock = clock
    self.origin = origin
    self.logger = logger
  }

  /// Answers a request, now or when its password has been checked. On the loop.
  func handle(_ request: APIRequest, answer: @escaping Answer) {
    let linking: Answer = { [self] response in answer(addingLink(to: response, request)) }
    do {
      try route(request, linking)
    } catch {
      linking(response(for: error))
    }
  }

  /// Gives a refusal a place in the app's log, which SDKs show developers. Its `co_id` is in the log.
  private func addingLink(to response: APIResponse, _ request: APIRequest) -> APIResponse {
    guard response.status >= 400, case .object(var members)? = response.body,
      let index = members.firstIndex(where: { $0.name == "link" })
    else { return response }
    let id = Identifiers.make()
    let code = response.body?["error_code"]?.stringValue ?? ""
    logger.log(
      level: response.status == 500 ? .error : .debug,
      "a request is refused",
      metadata: ["co_id": "\(id)", "status": "\(response.status)", "error_code": "\(code)"]
    )
    let parts = request.path.split(separator: "/").map(String.init)
    let appID = parts.firstIndex(of: "app").flatMap { parts.dropFirst($0 + 1).first }
    let app = appID.flatMap { services[$0] == nil ? nil : "/apps/\($0)" } ?? ""
    members[index].value = .string("\(origin.http(host: request.host))\(app)/logs?co_id=\(id)")
    var response = response
    response.body = .object(members)
    return response
  }

  /// The claims of an access token, for a sync connection.
  func authenticate(accessToken: String?, appID: String) throws -> TokenClaims {
    let (claims, service) = try claims(accessToken, as: .access)
    guard claims.appID == appID else { throw APIError.invalidSession }
    _ = try service.user(claims)
    return claims
  }

  // MARK: Routing

  private func route(_ request: APIRequest, _ answer: @escaping Answer) throws {
    guard request.path.hasPrefix(ClientAPI.prefix + "/") else { throw APIError.noSuchEndpoint(request) }
    let parts = request.path.dropFirst(ClientAPI.prefix.count).split(separator: "/").map(String.init)
    switch parts.first {
    case "app" where parts.count > 2: try routeApp(request, parts[1], Array(parts[2...]), answer)
    case "auth": answer(try routeAuthentication(request, Array(parts[1...])))
    default: throw APIError.noSuchEndpoint(request)
    }
  }

  private func routeApp(
    _ request: APIRequest,
    _ appID: String,
    _ parts: [String],
    _ answer: @escaping Answer
  ) throws {
    guard let service = services[appID] else { throw APIError.appNotFound(appID) }
    switch (request.method, parts.count) {
    case ("GET", 1) where parts[0] == "location": answer(location(request))
    case ("POST", 2) where parts == ["functions", "call"]:
      throw APIError.functionsNotCarriedOver("what is called")
    case ("POST", 4...5) where parts[0] == "auth" && parts[1] == "providers":
      let call = ProviderCall(
        request: request,
        service: service,
        body: try RequestBody(request.body),
        answer: answer
      )
      try routeProvider(call, parts[2], parts[3...].joined(separator: "/"))
    default: throw APIError.noSuchEndpoint(request)
    }
  }

  private func location(_ request: APIRequest) -> APIResponse {
    APIResponse(
      status: 200,
      body: [
        "deployment_model": "LOCAL",
        "location": "LOCAL",
        "hostname": .string(origin.http(host: request.host)),
        "ws_hostname": .string(origin.webSocket(host: request.host)),
      ]
    )
  }

  // MARK: Tokens and errors

  /// The claims of a token of this server, and the service of its app.
  func claims(_ token: String?, as kind: TokenClaims.Kind) throws -> (TokenClaims, AccountService) {
    guard let token else { throw APIError.missingToken }
    do {
      let claims = try signer.verify(token, as: kind, now: clock.seconds)
      guard let service = services[claims.appID] else { throw APIError.appNotFound(claims.appID) }
      return (claims, service)
    } catch is TokenError {
      throw APIError.invalidSession
    }
  }

  func response(for error: any Error) -> APIResponse {
    if let error = error as? APIError { return error.response }
    logger.error("request failed", metadata: ["error": "\(error)"])
    return APIError.internalError.response
  }
}
