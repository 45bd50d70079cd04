// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// One way in which a user can log in.
struct UserIdentity: Sendable, Equatable {
  /// The provider's id of the user.
  let id: String
  let provider: String
}

/// What the server tells about a user (RealmClients §1).
struct UserProfile: Sendable, Equatable {
  var identities: [UserIdentity] = []
  /// The data that the providers of the identities have about the user: an object.
  var data: JSON = [:]

  init() {}

  /// Reads the server's answer.
  /// - Throws: `CoreError` BAD_RESPONSE if it lacks something.
  init(_ answer: JSON, action: String) throws {
    guard let identities = answer["identities"]?.arrayValue, let data = answer["data"], data.isDocument else {
      throw CoreError(
        .FLX_STATUS_BAD_RESPONSE,
        "cannot \(action): the answer lacks 'identities' or 'data', or has something else there"
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

/// What the device keeps about one user.
struct UserRecord: Sendable, Equatable {
  /// The tokens of a user who is logged in.
  struct Tokens: Sendable, Equatable {
    var access: String
    var refresh: String
  }

  /// The server's id of the user.
  let id: String
  /// The provider of the identity logged in with.
  var provider: String
  /// nil when logged out.
  var tokens: Tokens?
  var profile = UserProfile()
  /// The custom data of the newest access token: an object; nil when there is none, or when logged out.
  var customData: JSON?

  /// Whether the user has nothing but this login to prove an identity with.
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

  /// Reads what `json` wrote; nil for anything else.
  init?(_ json: JSON) {
    guard let id = json["id"]?.stringValue, let provider = json["provider"]?.stringValue else { return nil }
    self.init(id: id, provider: provider)
    if let access = json["access_token"]?.stringValue, let refresh = json["refresh_token"]?.stringValue {
      tokens = Tokens(access: access, refresh: refresh)
    }
    // Files of earlier versions do not have these.
    profile.identities = (json["identities"]?.arrayValue ?? []).compactMap(UserIdentity.init)
    if let data = json["profile"], data.isDocument { profile.data = data }
    if let data = json["custom_data"], data.isDocument { customData = data }
  }
}

extension JSON {
  /// Whether this can be the document of a database, and be read by everybody: those have 100 levels at most, a value of
  /// Extended JSON has some more, and readers of JSON give up at a few hundred.
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
