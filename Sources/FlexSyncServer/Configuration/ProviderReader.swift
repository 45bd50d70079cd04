// SPDX-License-Identifier: Apache-2.0

/// Reads `auth/providers.json`.
struct ProviderReader {
  let reader: DirectoryReader

  func read() -> AuthenticationProviders {
    let file = "auth/providers.json"
    guard let node = reader.json(file) else {
      if !FileSystem.isFile("\(reader.root)/\(file)") {
        reader.problems.warning(file, nil, "missing; nobody can log in")
      }
      return AuthenticationProviders()
    }
    var providers = AuthenticationProviders()
    for (name, provider) in node.members() where !provider.bool("disabled", default: false) {
      enable(provider.string("type") ?? name, provider, in: &providers)
    }
    return providers
  }

  private func enable(_ type: String, _ node: ConfigurationNode, in providers: inout AuthenticationProviders)
  {
    switch type {
    case "anon-user": providers.allowsAnonymous = true
    case "local-userpass":
      providers.allowsEmailPassword = true
      if let config = node.member("config"), !config.bool("autoConfirm", default: true) {
        config.warning("autoConfirm is false, but no e-mail is sent: new users are confirmed at once")
      }
    case "api-key", "custom-token", "custom-function", "oauth2-google", "oauth2-facebook", "oauth2-apple":
      node.warning("this provider is not carried over; its users cannot log in")
    default: node.error("unknown provider type \"\(type)\"")
    }
  }
}
