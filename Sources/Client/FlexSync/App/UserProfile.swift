// SPDX-License-Identifier: Apache-2.0

/// An identity with which a user can log in.
public struct UserIdentity: Hashable, Sendable {
  /// The provider: "anon-user", "local-userpass", "api-key", "custom-token" …
  public let providerType: String
  /// The user's id with the provider.
  public let identifier: String

  public init(providerType: String, identifier: String) {
    self.providerType = providerType
    self.identifier = identifier
  }
}

/// The information about a user from the providers of the user's identities.
public struct UserProfile: Hashable, Sendable {
  /// All members of the profile.
  public let metadata: Document

  /// Creates an empty profile.
  public init() { metadata = [:] }

  init(metadata: Document) { self.metadata = metadata }

  public var name: String? { text("name") }
  public var email: String? { text("email") }
  public var pictureURL: String? { text("picture_url") ?? text("picture") }
  public var firstName: String? { text("first_name") }
  public var lastName: String? { text("last_name") }
  public var gender: String? { text("gender") }
  public var birthday: String? { text("birthday") }
  public var minAge: String? { text("min_age") }
  public var maxAge: String? { text("max_age") }

  private func text(_ name: String) -> String? { (metadata[name] ?? nil)?.stringValue }
}

extension User {
  /// The identities with which the user can log in, as reported by the server at the last login or link.
  public var identities: [UserIdentity] {
    handle.identities
  }

  /// The user's profile, as reported by the server at the last login or link.
  public var profile: UserProfile {
    UserProfile(metadata: ExtendedJSON.document(handle.profile))
  }

  /// The custom data of the user as of the last login or refresh, available offline; empty if there is none or the
  /// user is logged out.
  public var customData: Document {
    ExtendedJSON.document(handle.customData)
  }

  /// Fetches the newest custom data from the server.
  ///
  /// - Throws: `AppError`; the custom data is then unchanged.
  @discardableResult
  public func refreshCustomData() async throws -> Document {
    try await handle.perform(.refreshCustomData)
    return customData
  }

  /// Fetches the newest custom data in the background; `completion` is called on a background thread.
  public func refreshCustomData(_ completion: @escaping @Sendable (Result<Document, any Error>) -> Void) {
    handle.perform(.refreshCustomData) { [self] error in
      completion(error.map { .failure($0) } ?? .success(customData))
    }
  }
}
