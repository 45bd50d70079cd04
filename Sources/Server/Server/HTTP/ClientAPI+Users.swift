// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncServerStore

/// `/auth/…`: requests of logged-in users. The token identifies the app.
extension ClientAPI {
  func routeAuthentication(_ request: APIRequest, _ parts: [String]) throws -> APIResponse {
    switch (request.method, parts.count, parts.first) {
    case ("GET", 1, "profile"): try profile(request)
    case ("POST", 1, "session"): try refresh(request)
    case ("DELETE", 1, "session"): try logOut(request)
    case ("DELETE", 1, "delete"): try deleteUser(request)
    case (_, 1...3, "api_keys"): try routeAPIKeys(request, Array(parts[1...]))
    default: throw APIError.noSuchEndpoint(request)
    }
  }

  private func profile(_ request: APIRequest) throws -> APIResponse {
    let (claims, service) = try claims(request.bearerToken, as: .access)
    let user = try service.user(claims)
    let profile = UserProfile(user: user, identities: try service.store.identities(userID: user.id))
    let identities = profile.identities.map { identity -> JSON in
      [
        "id": .string(identity.id), "provider_type": .string(identity.provider),
        "provider_data": UserProfile.data(of: identity),
      ]
    }
    return APIResponse(
      status: 200,
      body: [
        "user_id": .string(user.id),
        "domain_id": .string(claims.appID),
        "identities": .array(identities),
        "data": profile.data,
        "custom_data": try service.customData(userID: user.id) ?? .object([]),
        "type": .string(profile.type),
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

  // MARK: API keys

  private func routeAPIKeys(_ request: APIRequest, _ parts: [String]) throws -> APIResponse {
    // Clients manage keys with the refresh token (RealmClients §1).
    let (claims, service) = try claims(request.bearerToken, as: .refresh)
    switch (request.method, parts.count, parts.last) {
    case ("POST", 0, _):
      let name = try RequestBody(request.body).string("name")
      let (record, key) = try service.createAPIKey(name: name, claims)
      return APIResponse(status: 201, body: describe(record, key: key))
    case ("GET", 0, _):
      return APIResponse(status: 200, body: .array(try service.apiKeys(claims).map { describe($0) }))
    case ("GET", 1, let id?):
      return APIResponse(status: 200, body: describe(try service.apiKey(id: id, claims)))
    case ("DELETE", 1, let id?): try service.deleteAPIKey(id: id, claims)
    case ("PUT", 2, "enable"): try service.setDisabled(false, apiKeyID: parts[0], claims)
    case ("PUT", 2, "disable"): try service.setDisabled(true, apiKeyID: parts[0], claims)
    default: throw APIError.noSuchEndpoint(request)
    }
    return .noContent
  }

  /// - Parameter key: The key itself, which is revealed only when it is created.
  private func describe(_ record: APIKeyRecord, key: String? = nil) -> JSON {
    var members = [JSON.Member("_id", .string(record.id))]
    if let key { members.append(JSON.Member("key", .string(key))) }
    members.append(JSON.Member("name", .string(record.name)))
    members.append(JSON.Member("disabled", .bool(record.isDisabled)))
    return .object(members)
  }
}
