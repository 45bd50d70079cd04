// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncStorage
import Logging

/// The App Services client API over HTTP: location, log-in, profile, sessions (peer-client §1).
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
    do {
      try route(request, answer)
    } catch {
      answer(response(for: error))
    }
  }

  /// The claims and the service of an access token, for a sync connection.
  func authenticate(accessToken: String?, appID: String) throws -> TokenClaims {
    let (claims, service) = try claims(accessToken, as: .access)
    guard claims.appID == appID else { throw APIError.invalidSession }
    _ = try service.user(claims)
    return claims
  }

  private func route(_ request: APIRequest, _ answer: @escaping Answer) throws {
    guard request.path.hasPrefix(ClientAPI.prefix + "/") else { throw APIError.noSuchEndpoint(request) }
    let parts = request.path.dropFirst(ClientAPI.prefix.count).split(separator: "/").map(String.init)
    switch (request.method, parts.count, parts.first) {
    case (_, 3..., "app"): try routeApp(request, parts[1], Array(parts[2...]), answer)
    case ("GET", 2, "auth") where parts[1] == "profile": answer(try profile(request))
    case ("POST", 2, "auth") where parts[1] == "session": answer(try refresh(request))
    case ("DELETE", 2, "auth") where parts[1] == "session": answer(try logOut(request))
    case ("DELETE", 2, "auth") where parts[1] == "delete": answer(try deleteUser(request))
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
    if request.method == "GET", parts == ["location"] { return answer(location(request)) }
    guard request.method == "POST", parts.count == 4, parts[0] == "auth", parts[1] == "providers" else {
      throw APIError.noSuchEndpoint(request)
    }
    let body = try json(request.body)
    switch (parts[2], parts[3]) {
    case (Provider.emailPassword, "register"): try register(service, body, answer)
    case (Provider.emailPassword, "login"): try logIn(service, body, answer)
    case (Provider.anonymous, "login"):
      answer(loginResponse(try service.loginAnonymously(deviceID: deviceID(body))))
    case (_, "login"): throw APIError.providerNotFound(parts[2])
    default: throw APIError.noSuchEndpoint(request)
    }
  }

  // MARK: Endpoints

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

  private func register(_ service: AccountService, _ body: JSON, _ answer: @escaping Answer) throws {
    let email = try string("email", in: body)
    service.register(email: email, password: try string("password", in: body)) { [self] result in
      switch result {
      case .success: answer(APIResponse(status: 201, body: .object([])))
      case .failure(let error): answer(response(for: error))
      }
    }
  }

  private func logIn(_ service: AccountService, _ body: JSON, _ answer: @escaping Answer) throws {
    let email = try string("username", in: body)
    let password = try string("password", in: body)
    service.login(email: email, password: password, deviceID: deviceID(body)) { [self] result in
      switch result {
      case .success(let login): answer(loginResponse(login))
      case .failure(let error): answer(response(for: error))
      }
    }
  }

  private func loginResponse(_ login: AccountService.LoginAnswer) -> APIResponse {
    APIResponse(
      status: 200,
      body: [
        "access_token": .string(login.accessToken),
        "refresh_token": .string(login.refreshToken),
        "user_id": .string(login.userID),
        "device_id": .string(login.deviceID),
      ]
    )
  }

  private func profile(_ request: APIRequest) throws -> APIResponse {
    let (claims, service) = try claims(request.bearerToken, as: .access)
    let user = try service.user(claims)
    let data: JSON = user.email.map { ["email": .string($0)] } ?? .object([])
    return APIResponse(
      status: 200,
      body: [
        "user_id": .string(user.id),
        "domain_id": .string(claims.appID),
        "identities": [["id": .string(user.id), "provider_type": .string(user.provider)]],
        "data": data,
        "type": "normal",
      ]
    )
  }

  private func refresh(_ request: APIRequest) throws -> APIResponse {
    let (claims, service) = try claims(request.bearerToken, as: .refresh)
    return APIResponse(status: 201, body: ["access_token": .string(try service.refresh(claims))])
  }

  private func logOut(_ request: APIRequest) throws -> APIResponse {
    let (claims, service) = try claims(request.bearerToken, as: .refresh)
    try service.logOut(claims)
    return .noContent
  }

  private func deleteUser(_ request: APIRequest) throws -> APIResponse {
    let (claims, service) = try claims(request.bearerToken, as: .access)
    try service.deleteUser(claims)
    return .noContent
  }

  // MARK: Reading requests

  private func claims(
    _ token: String?,
    as kind: TokenClaims.Kind
  ) throws -> (TokenClaims, AccountService) {
    guard let token else { throw APIError.invalidSession }
    do {
      let claims = try signer.verify(token, as: kind, now: clock.seconds)
      guard let service = services[claims.appID] else { throw APIError.appNotFound(claims.appID) }
      return (claims, service)
    } catch is TokenError {
      throw APIError.invalidSession
    }
  }

  private func json(_ body: [UInt8]) throws -> JSON {
    guard !body.isEmpty else { return .object([]) }
    do {
      return try JSON.parse(body)
    } catch {
      throw APIError.badRequest("the body is \(error)")
    }
  }

  private func string(_ name: String, in body: JSON) throws -> String {
    guard let text = body[name]?.stringValue, !text.isEmpty else {
      throw APIError.badRequest("\"\(name)\" is missing or no string")
    }
    return text
  }

  private func deviceID(_ body: JSON) -> String? {
    let text = body["options"]?["device"]?["deviceId"]?.stringValue
    return text.flatMap(ObjectId.init(hex:))?.description
  }

  private func response(for error: any Error) -> APIResponse {
    if let error = error as? APIError { return error.response }
    logger.error("request failed", metadata: ["error": "\(error)"])
    return APIError.internalError.response
  }
}
