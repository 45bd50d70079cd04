// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules
import FlexSyncServerStore

/// User data, apart from credentials.
extension AccountService {
  /// Longer custom data would produce access tokens too large for a request; clients get such data from the
  /// profile.
  package static let maximumTokenDataByteCount = 16 * 1024

  /// Whether custom data are short enough for access tokens.
  package static func fitsToken(_ data: JSON) -> Bool {
    data.serialized.utf8.count <= maximumTokenDataByteCount
  }

  /// Returns the user's data for rules; nil if there is no such user.
  package func userContext(id: String) throws -> UserContext? {
    guard let user = try store.user(id: id) else { return nil }
    let profile = UserProfile(user: user, identities: try store.identities(userID: id))
    return UserContext(
      id: id,
      type: profile.type,
      data: profile.data,
      customData: try customData(userID: id) ?? .object([]),
      identities: profile.identities.map { identity in
        [
          "id": .string(identity.id), "providerType": .string(identity.provider),
          "provider_type": .string(identity.provider), "data": UserProfile.data(of: identity),
        ]
      }
    )
  }

  /// Returns the custom data of a user, either an object of the configured class or a stored document; nil if there
  /// are none.
  package func customData(userID: String) throws -> JSON? {
    try CustomUserData(configuration: app.customUserData, store: store).document(userID: userID)
  }

  /// Returns the custom data to embed in access tokens; nil if the app has none.
  func tokenUserData(_ userID: String) throws -> JSON? {
    guard app.customUserData != nil else { return nil }
    let data = try customData(userID: userID) ?? .object([])
    guard AccountService.fitsToken(data) else {
      logger.warning(
        "custom user data is too long for an access token and was left out",
        metadata: ["user": "\(userID)"]
      )
      return .object([])
    }
    return data
  }
}

/// A user and the user's identities, as clients and rules see them.
package struct UserProfile {
  let user: UserRecord
  package let identities: [IdentityRecord]
  /// The data of the identities, unproved identities first.
  private let claims: [JSON]

  package init(user: UserRecord, identities: [IdentityRecord]) {
    self.user = user
    let unproved = identities.filter { !UserProfile.isProved($0) }
    claims = (unproved + identities.filter(UserProfile.isProved)).map(UserProfile.data)
    self.identities = identities
  }

  /// `server` for the user of a server API key.
  package var type: String { user.isServer ? "server" : "normal" }

  /// The data that the providers assert. If two assert the same field, the one linked later wins, except that an
  /// unconfirmed address never replaces what another provider asserts.
  package var data: JSON {
    var members: [JSON.Member] = []
    for claim in claims {
      for member in claim.objectValue ?? [] {
        members.removeAll { $0.name == member.name }
        members.append(member)
      }
    }
    return .object(members)
  }

  /// Whether the data of an identity can be trusted: with `autoConfirm` anyone can register any address.
  private static func isProved(_ identity: IdentityRecord) -> Bool {
    identity.provider != Provider.emailPassword || identity.isConfirmed
  }

  /// The data that the provider supplies about the user, an object.
  package static func data(of identity: IdentityRecord) -> JSON {
    // The server wrote these data; unreadable data count as none.
    let data = (try? JSON.parse(identity.data)) ?? .object([])
    guard identity.provider == Provider.emailPassword else { return data }
    return ["email": data["email"] ?? .string(identity.subject)]
  }
}
