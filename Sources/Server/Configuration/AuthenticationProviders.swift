// SPDX-License-Identifier: Apache-2.0

/// The providers with which users may log in (app-directory, `auth/providers.json`).
public struct AuthenticationProviders: Hashable, Sendable {
  public var allowsAnonymous = false
  /// The e-mail/password provider; nil if it is disabled.
  public var emailPassword: EmailPasswordProvider?
  public var allowsAPIKeys = false
  /// The provider for tokens issued by another system; nil if it is disabled.
  public var customToken: CustomTokenProvider?
  /// The types of the providers that the directory enables and this server does not support.
  public var notCarriedOver: [String] = []

  /// The types of those providers of App Services whose own tokens `custom-token` can accept.
  package static let issuingTokens: Set = ["oauth2-google", "oauth2-apple"]
}

/// The `local-userpass` provider.
public struct EmailPasswordProvider: Hashable, Sendable {
  /// Whether new users are confirmed without proving that they own the e-mail address.
  public var confirmsAutomatically = true
  /// The page of the app that accepts the token from a confirmation mail.
  public var confirmationURL: String?
  public var confirmationSubject: String?
  /// The page of the app that accepts the token from a reset mail.
  public var resetURL: String?
  public var resetSubject: String?
  /// Whether App Services ran a function when a user asked for a new password.
  public var hadResetFunction = false
}

extension EmailPasswordProvider {
  package init(resetURL: String?, resetSubject: String?) {
    self.init()
    self.resetURL = resetURL
    self.resetSubject = resetSubject
  }
}

/// The `custom-token` provider: JSON Web Tokens issued by another system.
public struct CustomTokenProvider: Hashable, Sendable {
  /// The algorithm for `signingKeys`: `HS256`, `RS256` or `ES256`.
  public var algorithm = "HS256"
  /// The key material: a shared secret for HS256, public keys in PEM form for the other algorithms.
  public var signingKeys: [String] = []
  /// The content of a JSON Web Key Set (RFC 7517) in the app directory.
  public var keySet: String?
  /// The accepted audiences of tokens; if empty, the app's identifier.
  public var audiences: [String] = []
  /// Whether a token needs only one of the audiences rather than all of them.
  public var acceptsAnyAudience = false
  /// The required issuer of tokens; nil to accept every issuer that has a key.
  public var issuer: String?
  public var metadataFields: [MetadataField] = []
}

/// A value in a token that becomes part of the user's data.
public struct MetadataField: Hashable, Sendable {
  /// The location in the token: names separated by dots, where a dot inside a name is written `\.`.
  public var path: String
  /// The field's name in the user's data; nil to use the last name of the path.
  public var fieldName: String?
  /// Whether tokens without this value are refused.
  public var isRequired = false
}

/// The location of the users' custom data (`auth/custom_user_data.json`).
public struct CustomUserDataConfiguration: Hashable, Sendable {
  /// The collection that holds one document per user.
  public var collection: String
  /// The field that holds the user's identifier.
  public var userIDField: String
  /// The synced class of these documents; nil if the collection is not synced.
  public var className: String?

  package init(collection: String, userIDField: String, className: String? = nil) {
    self.collection = collection
    self.userIDField = userIDField
    self.className = className
  }
}
