// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules

/// Reads `auth/providers.json`.
package struct ProviderReader {
  let reader: DirectoryReader
  let secrets: SecretReader

  private static let file = "auth/providers.json"
  private static let keySetFile = "auth/jwks.json"

  func read() -> AuthenticationProviders {
    guard let node = reader.json(ProviderReader.file) else {
      if !reader.has(ProviderReader.file) {
        reader.problems.warning(ProviderReader.file, "missing; nobody can log in")
      }
      return AuthenticationProviders()
    }
    var providers = AuthenticationProviders()
    for (name, provider) in node.members() {
      guard provider.value.objectValue != nil else {
        provider.error("must be an object")
        continue
      }
      provider.reportUnknownKeys(known: ProviderReader.knownKeys, isDangerous: true)
      let type = provider.string("type") ?? name
      guard ProviderReader.types.contains(type) else {
        provider.error(
          "unknown provider type \"\(type)\"; it must be one of \(ProviderReader.types.joined(separator: ", "))"
        )
        continue
      }
      if !provider.bool("disabled", default: false) { enable(type, provider, in: &providers) }
    }
    return providers
  }

  private static let knownKeys = [
    "_id", "id", "name", "type", "disabled", "config", "secret_config", "metadata_fields",
    "domain_restrictions", "redirect_uris",
  ]
  private static let emailPasswordKeys = [
    "autoConfirm", "emailConfirmationUrl", "confirmEmailSubject", "runConfirmationFunction",
    "confirmationFunctionName", "confirmationFunctionId", "resetPasswordUrl", "resetPasswordSubject",
    "runResetFunction", "resetFunctionName", "resetFunctionId",
  ]
  private static let customTokenKeys = [
    "signingAlgorithm", "audience", "requireAnyAudience", "issuer", "useJWKURI", "jwkURI",
  ]

  package static let types = [
    "anon-user", "local-userpass", "api-key", "custom-token", "custom-function", "oauth2-google",
    "oauth2-facebook", "oauth2-apple",
  ]

  private func enable(_ type: String, _ node: ConfigurationNode, in providers: inout AuthenticationProviders)
  {
    switch type {
    case "anon-user": providers.allowsAnonymous = true
    case "local-userpass": providers.emailPassword = emailPassword(node)
    case "api-key": providers.allowsAPIKeys = true
    case "custom-token": providers.customToken = customToken(node)
    default: providers.notCarriedOver.append(type)
    }
  }

  // MARK: E-mail and password

  private func emailPassword(_ node: ConfigurationNode) -> EmailPasswordProvider {
    guard let config = node.member("config") else { return EmailPasswordProvider() }
    config.reportUnknownKeys(known: ProviderReader.emailPasswordKeys, isDangerous: true)
    var provider = EmailPasswordProvider(
      confirmsAutomatically: config.bool("autoConfirm", default: false),
      confirmationURL: url("emailConfirmationUrl", in: config),
      confirmationSubject: config.string("confirmEmailSubject"),
      resetURL: url("resetPasswordUrl", in: config),
      resetSubject: config.string("resetPasswordSubject")
    )
    if config.bool("runConfirmationFunction", default: false) {
      config.member("runConfirmationFunction")?.warning(
        "this server does not run functions; new users are confirmed with a token, or with "
          + "`flexsyncd users confirm`"
      )
      provider.confirmsAutomatically = false
    }
    if !provider.confirmsAutomatically {
      (config.member("autoConfirm") ?? config).note(
        "new users are not confirmed automatically: start the server with --mail-command or --mail-folder, which take "
          + "the confirmation mails, or confirm each with `flexsyncd users confirm`"
      )
    }
    if config.bool("runResetFunction", default: false) {
      provider.hadResetFunction = true
      config.member("runResetFunction")?.warning(
        "this server does not run functions; passwords are reset with a token, or with "
          + "`flexsyncd users reset-password`"
      )
    }
    return provider
  }

  /// Returns nil for an empty string, which exports contain for settings without a value.
  private func url(_ name: String, in config: ConfigurationNode) -> String? {
    guard let text = config.string(name), !text.isEmpty else { return nil }
    guard text.contains(":"), !text.contains(where: \.isWhitespace) else {
      config.member(name)?.error("is \"\(text)\", which is not a URL")
      return nil
    }
    return text
  }

  // MARK: Custom tokens

  private func customToken(_ node: ConfigurationNode) -> CustomTokenProvider? {
    let config = node.member("config")
    config?.reportUnknownKeys(known: ProviderReader.customTokenKeys, isDangerous: true)
    var provider = CustomTokenProvider(
      algorithm: algorithm(config),
      audiences: audiences(config),
      acceptsAnyAudience: config?.bool("requireAnyAudience", default: false) ?? false,
      issuer: config?.string("issuer"),
      metadataFields: metadataFields(node)
    )
    if config?.bool("useJWKURI", default: false) == true {
      provider.keySet = keySet(config)
    } else {
      provider.signingKeys = signingKeys(node)
    }
    guard provider.keySet != nil || !provider.signingKeys.isEmpty else { return nil }
    check(provider, node)
    return provider
  }

  /// Reports keys that are unusable.
  private func check(_ provider: CustomTokenProvider, _ node: ConfigurationNode) {
    if provider.algorithm == "HS256", provider.signingKeys.contains(where: { $0.contains("-----BEGIN") }) {
      // Whoever has the public key could sign tokens with it.
      return node.error(
        "a signing key is in PEM form, as public keys are, but signingAlgorithm is HS256 (its default), for which the "
          + "key must be a secret. Set signingAlgorithm to RS256 or ES256"
      )
    }
    do {
      _ = try provider.keys()
    } catch {
      node.error(error.description)
    }
  }

  private func algorithm(_ config: ConfigurationNode?) -> String {
    guard let name = config?.string("signingAlgorithm"), !name.isEmpty else { return "HS256" }
    if !["HS256", "RS256", "ES256"].contains(name) {
      config?.member("signingAlgorithm")?.error("is \"\(name)\"; it must be HS256, RS256 or ES256")
    }
    return name
  }

  /// Returns the audiences, given as a list or as comma-separated text.
  private func audiences(_ config: ConfigurationNode?) -> [String] {
    guard let node = config?.member("audience") else { return [] }
    if let text = node.value.stringValue {
      return text.split(separator: ",").map { String($0.trimmingPrefix(while: \.isWhitespace)) }.filter {
        !$0.isEmpty
      }
    }
    return node.strings()
  }

  private func signingKeys(_ node: ConfigurationNode) -> [String] {
    guard let names = node.member("secret_config")?.member("signingKeys"), let elements = names.elements(),
      !elements.isEmpty
    else {
      node.warning("secret_config.signingKeys does not name a key; nobody can log in with a custom token")
      return []
    }
    return elements.compactMap { element in
      guard let name = element.value.stringValue else {
        return element.reject("must be the name of a secret")
      }
      if let secret = secrets.secret(named: name, at: element) { return secret }
      element.warning(
        "the secret \"\(name)\" is missing (exports contain no secrets); tokens signed with it are rejected "
          + "until you "
          + SecretReader.advice(name)
      )
      return nil
    }
  }

  /// Returns the key set from its file: the server does not fetch keys from other servers.
  private func keySet(_ config: ConfigurationNode?) -> String? {
    if let text = reader.text(ProviderReader.keySetFile) { return text }
    config?.member("useJWKURI")?.warning(
      "the server does not fetch keys; save the response of \(config?.string("jwkURI") ?? "the URI") as "
        + "\(ProviderReader.keySetFile). Until then, nobody can log in with a custom token"
    )
    return nil
  }

  private func metadataFields(_ node: ConfigurationNode) -> [MetadataField] {
    guard let list = node.member("metadata_fields") else { return [] }
    guard let elements = list.elements() else {
      list.error("must be a list")
      return []
    }
    return elements.compactMap { element in
      guard let path = element.string("name"), !path.isEmpty else {
        return element.reject("name is missing; it must give the path of the field in the token")
      }
      let fieldName = element.string("field_name").flatMap { $0.isEmpty ? nil : $0 }
      return MetadataField(
        path: path,
        fieldName: fieldName,
        isRequired: element.bool("required", default: false)
      )
    }
  }
}
