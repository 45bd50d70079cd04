// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport
import Logging

/// The App Services client API over HTTP: location, log-in, profile, sessions and API keys (RealmClients §1).
///
/// Each app has one on its loop. Another instance, without an app, answers requests that need no app.
struct ClientAPI {
  typealias Answer = (APIResponse) -> Void

  static let prefix = "/api/client/v2.0"

  /// The apps of the server.
  let appIDs: Set<String>
  /// The users of the app; nil for the instance without an app.
  let service: AccountService?
  let signer: TokenSigner
  let clock: WallClock
  let origin: PublicOrigin
  let logger: Logger

  /// Answers a request, immediately or once its password has been checked. Must be called on the loop.
  func handle(_ request: APIRequest, answer: @escaping Answer) {
    let linking: Answer = { [self] response in answer(addingLink(to: response, request)) }
    do {
      try route(request, linking)
    } catch {
      linking(response(for: error))
    }
  }

  /// Adds to a refusal a link to the app's log, which SDKs show to developers. Its `co_id` appears in the log.
  private func addingLink(to response: APIResponse, _ request: APIRequest) -> APIResponse {
    guard response.status >= 400, case .object(var members)? = response.body,
      let index = members.firstIndex(where: { $0.name == "link" })
    else { return response }
    let id = Identifiers.make()
    let code = response.body?["error_code"]?.stringValue ?? ""
    logger.log(
      level: response.status == 500 ? .error : .debug,
      "request refused",
      metadata: ["co_id": "\(id)", "status": "\(response.status)", "error_code": "\(code)"]
    )
    let parts = request.path.split(separator: "/").map(String.init)
    let appID = parts.firstIndex(of: "app").flatMap { parts.dropFirst($0 + 1).first }
    let app = appID.flatMap { appIDs.contains($0) ? "/apps/\($0)" : nil } ?? ""
    members[index].value = .string("\(origin.http(host: request.host))\(app)/logs?co_id=\(id)")
    var response = response
    response.body = .object(members)
    return response
  }

  /// Returns the claims of an access token for a sync connection.
  func authenticate(accessToken: String?, appID: String) throws -> TokenClaims {
    let (claims, service) = try claims(accessToken, as: .access)
    guard claims.appID == appID else { throw APIError.invalidSession }
    _ = try service.user(claims)
    return claims
  }

  // MARK: Routing

  /// Returns the app that must answer a request; nil if the request needs no app.
  func appID(for request: APIRequest) -> String? {
    let parts = ClientAPI.parts(of: request.path)
    switch parts.first {
    case "app" where parts.count > 2:
      let isLocation = request.method == "GET" && parts[2...] == ["location"]
      return appIDs.contains(parts[1]) && !isLocation ? parts[1] : nil
    case "auth":
      guard let token = request.bearerToken, let claims = signedClaims(token) else { return nil }
      return appIDs.contains(claims.appID) ? claims.appID : nil
    default: return nil
    }
  }

  private func signedClaims(_ token: String) -> TokenClaims? {
    for kind in [TokenClaims.Kind.access, .refresh] {
      if let claims = try? signer.verify(token, as: kind, now: clock.seconds) { return claims }
    }
    return nil
  }

  /// Returns the app of a request for a sync connection: `/api/client/v2.0/app/<id>/realm-sync` (protocol §1.2). Only
  /// the app can verify its tokens, so requests for apps that this server does not have are refused here.
  func syncAppID(of request: HTTPRequest) throws(APIError) -> String {
    let path = request.path
    let parts = ClientAPI.parts(of: path)
    guard parts.count == 3, parts[0] == "app", parts[2] == "realm-sync" else {
      throw APIError(status: 404, code: "NotFound", message: "this server has no WebSocket endpoint \(path)")
    }
    guard appIDs.contains(parts[1]) else { throw .appNotFound(parts[1]) }
    guard let token = request.syncToken else { throw .missingToken }
    guard signedClaims(token) != nil else { throw .invalidSession }
    return parts[1]
  }

  /// Returns the path components after the prefix; empty if the path has a different prefix.
  private static func parts(of path: String) -> [String] {
    guard path.hasPrefix(prefix + "/") else { return [] }
    return path.dropFirst(prefix.count).split(separator: "/").map(String.init)
  }

  private func route(_ request: APIRequest, _ answer: @escaping Answer) throws {
    let parts = ClientAPI.parts(of: request.path)
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
    guard appIDs.contains(appID) else { throw APIError.appNotFound(appID) }
    if request.method == "GET", parts == ["location"] { return answer(location(request)) }
    guard let service, service.app.appID == appID else { throw APIError.internalError }
    switch (request.method, parts.count) {
    case ("POST", 2) where parts == ["functions", "call"]: try refuseCall(request)
    case ("GET", 2) where parts == ["functions", "call"]: try refuseCall(request)
    case (_, 4) where parts[0] == "push" && parts[3] == "registration": try refuseService(parts[2], request)
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

  /// Returns the claims of a token issued by this server for the app, and the app's account service.
  func claims(_ token: String?, as kind: TokenClaims.Kind) throws -> (TokenClaims, AccountService) {
    guard let token else { throw APIError.missingToken }
    do {
      let claims = try signer.verify(token, as: kind, now: clock.seconds)
      guard appIDs.contains(claims.appID) else { throw APIError.appNotFound(claims.appID) }
      // A token for another app is invalid here.
      guard let service, service.app.appID == claims.appID else { throw APIError.invalidSession }
      return (claims, service)
    } catch is TokenError {
      throw APIError.invalidSession
    }
  }

  func response(for error: any Error) -> APIResponse {
    if let error = error as? APIError { return error.response }
    if let error = error as? AccountError { return APIError(error).response }
    logger.error("request failed", metadata: ["error": "\(error)"])
    return APIError.internalError.response
  }
}
