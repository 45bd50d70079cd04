// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// The proof of an identity with which a user logs in, RealmClients §1.
enum Credentials: Sendable, Equatable {
  /// Reuses an anonymous user who is already logged in if `isReused` is set.
  case anonymous(isReused: Bool)
  case emailPassword(email: String, password: String)
  case apiKey(String)
  case jwt(String)
  /// For an authentication function of the app; its members become those of the request.
  case function(payload: [JSON.Member])
  case google(authorizationCode: String)
  case googleID(token: String)
  case apple(idToken: String)
  case facebook(accessToken: String)

  /// The provider of anonymous users.
  static let anonymousProvider = "anon-user"

  /// The provider's name, as used in the path and the body of the request.
  var provider: String {
    switch self {
    case .anonymous: Self.anonymousProvider
    case .emailPassword: "local-userpass"
    case .apiKey: "api-key"
    case .jwt: "custom-token"
    case .function: "custom-function"
    case .google, .googleID: "oauth2-google"
    case .apple: "oauth2-apple"
    case .facebook: "oauth2-facebook"
    }
  }

  /// Returns the body of a login request.
  func body(appID: String) -> JSON {
    .object(proof + [.init("options", ["device": Device.description(appID: appID)])])
  }

  private var proof: [JSON.Member] {
    switch self {
    case .anonymous: members([:])
    case .emailPassword(let email, let password): members(["username": email, "password": password])
    case .apiKey(let key): members(["key": key])
    case .jwt(let token): members(["token": token])
    // As in Realm: the payload alone, without the provider.
    case .function(let payload): payload.filter { $0.name != "options" }
    case .google(let code): members(["authCode": code])
    case .googleID(let token): members(["id_token": token])
    case .apple(let token): members(["id_token": token])
    case .facebook(let token): members(["accessToken": token])
    }
  }

  private func members(_ texts: KeyValuePairs<String, String>) -> [JSON.Member] {
    [.init("provider", .string(provider))] + texts.map { .init($0.key, .string($0.value)) }
  }
}

/// The description of the device that a login sends: twelve texts, possibly empty.
enum Device {
  #if os(Linux)
  static let platform = "Linux"
  #elseif os(macOS)
  static let platform = "macOS"
  #elseif os(iOS)
  static let platform = "iOS"
  #else
  static let platform = "unknown"
  #endif

  #if arch(x86_64)
  static let processor = "x86_64"
  #elseif arch(arm64)
  static let processor = "arm64"
  #else
  static let processor = "unknown"
  #endif

  static func description(appID: String) -> JSON {
    let version = JSON.string(LibraryVersion.text)
    return [
      "appId": .string(appID), "platform": .string(platform), "platformVersion": "", "sdk": "FlexSync",
      "sdkVersion": version, "cpuArch": .string(processor), "deviceName": "", "deviceVersion": "",
      "frameworkName": "", "frameworkVersion": "", "coreVersion": version, "bundleId": "",
    ]
  }
}
