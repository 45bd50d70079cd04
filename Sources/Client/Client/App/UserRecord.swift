// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// An identity with which a user can log in.
struct UserIdentity: Sendable, Equatable {
  /// The provider's id of the user.
  let id: String
  let provider: String
}

/// The server's description of a user (RealmClients §1).
struct UserProfile: Sendable, Equatable {
  var identities: [UserIdentity] = []
  /// The data about the user from the providers of the identities: an object.
  var data: JSON = [:]

  init() {}

  /// Reads the server's answer.
  /// - Throws: `CoreError` BAD_RESPONSE if it is incomplete or malformed.
  init(_ answer: JSON, action: String) throws {
    guard let identities = answer["identities"]?.arrayValue, let data = answer["data"], data.isDocument else {
      throw CoreError(
        .badResponse,
        "cannot \(action): the response lacks valid 'identities' or 'data'"
      )
    }
    self.identities = try identities.map { identity in
      UserIdentity(
        id: try ServiceAnswer.required("id", in: identity, action: action),
        provider: try ServiceAnswer.required("provider_type", in: identity, action: action)
      )
    }
    self.data = data
  }
}

/// The data of a user that are stored on the device.
struct UserRecord: Sendable, Equatable {
  /// The tokens of a user who is logged in.
  struct Tokens: Sendable, Equatable {
    var access: String
    var refresh: String
  }

  /// The id of the user on the server.
  let id: String
  /// The provider of the identity used for the last login.
  var provider: String
  /// Nil if logged out.
  var tokens: Tokens?
  var profile = UserProfile()
  /// The custom data of the newest access token: an object; nil if there is none or the user is logged out.
  var customData: JSON?

  /// Whether the user has no identity other than an anonymous login.
  var isAnonymous: Bool {
    let identities = profile.identities
    guard let only = identities.first else { return provider == Credentials.anonymousProvider }
    return identities.count == 1 && only.provider == Credentials.anonymousProvider
  }
}

extension UserRecord {
  var json: JSON {
    [
      "id": .string(id), "provider": .string(provider),
      "access_token": tokens.map { .string($0.access) } ?? .null,
      "refresh_token": tokens.map { .string($0.refresh) } ?? .null,
      "identities": .array(profile.identities.map(\.json)), "profile": profile.data,
      "custom_data": customData ?? .null,
    ]
  }

  /// Reads JSON written by `json`; nil for anything else.
  init?(_ json: JSON) {
    guard let id = json["id"]?.stringValue, let provider = json["provider"]?.stringValue else { return nil }
    self.init(id: id, provider: provider)
    if let access = json["access_token"]?.stringValue, let refresh = json["refresh_token"]?.stringValue {
      tokens = Tokens(access: access, refresh: refresh)
    }
    // Files written by earlier versions lack these.
    profile.identities = (json["identities"]?.arrayValue ?? []).compactMap(UserIdentity.init)
    if let data = json["profile"], data.isDocument { profile.data = data }
    if let data = json["custom_data"], data.isDocument { customData = data }
  }
}

extension JSON {
  /// Whether this can be a database document that every reader accepts. Documents have at most 100 levels, a value
  /// of Extended JSON has a few more, and JSON readers give up at a few hundred.
  var isDocument: Bool { objectValue != nil && !isNested(deeperThan: 200) }
}

extension UserIdentity {
  fileprivate var json: JSON { ["id": .string(id), "provider_type": .string(provider)] }

  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.stringValue, let provider = json["provider_type"]?.stringValue else {
      return nil
    }
    self.init(id: id, provider: provider)
  }
}
