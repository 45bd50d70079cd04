// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// An API key with which a user can log in.
struct APIKey: Sendable, Equatable {
  let id: ObjectId
  let name: String
  /// The secret. The server sends it only when the key is created.
  let key: String?
  let isDisabled: Bool

  /// Reads the server's description.
  /// - Throws: `CoreError` BAD_RESPONSE if it is incomplete or its id is malformed.
  init(_ json: JSON, action: String) throws {
    guard let id = ObjectId(hex: try ServiceAnswer.required("_id", in: json, action: action)) else {
      throw CoreError(
        .badResponse,
        "cannot \(action): the '_id' of the API key is not an object id"
      )
    }
    self.id = id
    name = try ServiceAnswer.required("name", in: json, action: action)
    key = json["key"]?.stringValue
    isDisabled = json["disabled"]?.boolValue ?? false
  }
}

/// An operation on the API keys of a user, authorized with the refresh token (RealmClients §1).
enum APIKeyRequest: Sendable {
  case create(name: String)
  case fetch(ObjectId)
  case fetchAll
  case enable(ObjectId)
  case disable(ObjectId)
  case delete(ObjectId)

  private static let route = "/api/client/v2.0/auth/api_keys"

  var request: ServiceRequest {
    switch self {
    case .create(let name):
      make("POST", "", body: ["name": .string(name)], action: "create the API key '\(name)'")
    case .fetch(let id): make("GET", "/\(id)", action: "read the API key \(id)")
    case .fetchAll: make("GET", "", action: "read the API keys")
    case .enable(let id): make("PUT", "/\(id)/enable", action: "enable the API key \(id)")
    case .disable(let id): make("PUT", "/\(id)/disable", action: "disable the API key \(id)")
    case .delete(let id): make("DELETE", "/\(id)", action: "delete the API key \(id)")
    }
  }

  private func make(_ method: String, _ path: String, body: JSON? = nil, action: String) -> ServiceRequest {
    ServiceRequest(method: method, route: Self.route + path, body: body, action: action)
  }

  /// Returns the keys that an answer describes, possibly none.
  func keys(in answer: JSON) throws -> [APIKey] {
    let action = request.action
    switch self {
    case .create, .fetch: return [try APIKey(answer, action: action)]
    case .fetchAll:
      guard let keys = answer.arrayValue else {
        throw CoreError(.badResponse, "cannot \(action): the response is not an array")
      }
      return try keys.map { try APIKey($0, action: action) }
    case .enable, .disable, .delete: return []
    }
  }
}
