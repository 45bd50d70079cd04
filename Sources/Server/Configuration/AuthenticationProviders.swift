// SPDX-License-Identifier: Apache-2.0

/// The ways in which users may log in (app-directory, `auth/providers.json`).
public struct AuthenticationProviders: Hashable, Sendable {
  public var allowsAnonymous: Bool
  /// E-mail address and password; nil if they are off.
  public var emailPassword: EmailPasswordProvider?
  public var allowsAPIKeys: Bool
  /// Tokens of another system; nil if they are off.
  public var customToken: CustomTokenProvider?
  /// The types of providers that are on in the directory, and that this server does not have.
  public var notCarriedOver: [String]

  public init(
    allowsAnonymous: Bool = false,
    emailPassword: EmailPasswordProvider? = nil,
    allowsAPIKeys: Bool = false,
    customToken: CustomTokenProvider? = nil,
    notCarriedOver: [String] = []
  ) {
    self.allowsAnonymous = allowsAnonymous
    self.emailPassword = emailPassword
    self.allowsAPIKeys = allowsAPIKeys
    self.customToken = customToken
    self.notCarriedOver = notCarriedOver
  }
}

/// `local-userpass`.
public struct EmailPasswordProvider: Hashable, Sendable {
  /// Whether new users need not show that the e-mail address is theirs.
  public var confirmsAutomatically: Bool
  /// The page of the app that takes the token of a confirmation mail.
  public var confirmationURL: String?
  public var confirmationSubject: String?
  /// The page of the app that takes the token of a reset mail.
  public var resetURL: String?
  public var resetSubject: String?

  public init(
    confirmsAutomatically: Bool = true,
    confirmationURL: String? = nil,
    confirmationSubject: String? = nil,
    resetURL: String? = nil,
    resetSubject: String? = nil
  ) {
    self.confirmsAutomatically = confirmsAutomatically
    self.confirmationURL = confirmationURL
    self.confirmationSubject = confirmationSubject
    self.resetURL = resetURL
    self.resetSubject = resetSubject
  }
}

/// `custom-token`: JSON Web Tokens of another system.
public struct CustomTokenProvider: Hashable, Sendable {
  /// The algorithm of `signingKeys`: `HS256`, `RS256` or `ES256`.
  public var algorithm: String
  /// The keys themselves: a text for HS256, public keys in PEM form for the others.
  public var signingKeys: [String]
  /// The content of a JSON Web Key Set (RFC 7517) in the app directory.
  public var keySet: String?
  /// For whom tokens may be; empty for the app's identifier.
  public var audiences: [String]
  /// Whether one of the audiences is enough, rather than all.
  public var acceptsAnyAudience: Bool
  /// Who has to have made the tokens; nil for anybody who has a key.
  public var issuer: String?
  public var metadataFields: [MetadataField]

  public init(
    algorithm: String = "HS256",
    signingKeys: [String] = [],
    keySet: String? = nil,
    audiences: [String] = [],
    acceptsAnyAudience: Bool = false,
    issuer: String? = nil,
    metadataFields: [MetadataField] = []
  ) {
    self.algorithm = algorithm
    self.signingKeys = signingKeys
    self.keySet = keySet
    self.audiences = audiences
    self.acceptsAnyAudience = acceptsAnyAudience
    self.issuer = issuer
    self.metadataFields = metadataFields
  }
}

/// Something that a token says and that becomes a part of the user's data.
public struct MetadataField: Hashable, Sendable {
  /// Where it is in the token: names with dots between them; a dot in a name is written `\.`.
  public var path: String
  /// Its name in the user's data; nil for the last name of the path.
  public var fieldName: String?
  /// Whether tokens without it are refused.
  public var isRequired: Bool

  public init(path: String, fieldName: String? = nil, isRequired: Bool = false) {
    self.path = path
    self.fieldName = fieldName
    self.isRequired = isRequired
  }
}

/// Where the custom data of users are (`auth/custom_user_data.json`).
public struct CustomUserDataConfiguration: Hashable, Sendable {
  /// The collection with a document for each user.
  public var collection: String
  /// The field with the identifier of the user.
  public var userIDField: String
  /// The synced class whose objects the documents are; nil if the collection is not synced.
  public var className: String?

  public init(collection: String, userIDField: String, className: String?) {
    self.collection = collection
    self.userIDField = userIDField
    self.className = className
  }
}
