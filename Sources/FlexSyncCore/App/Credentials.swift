// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// How a user proves an identity, peer-client §1.
enum Credentials: Sendable, Equatable {
  case anonymous
  case emailPassword(email: String, password: String)
  case apiKey(String)
  case jwt(String)

  /// The provider's name, in the path of the request and in its body.
  var provider: String {
    switch self {
    case .anonymous: "anon-user"
    case .emailPassword: "local-userpass"
    case .apiKey: "api-key"
    case .jwt: "custom-token"
    }
  }

  /// The body of a login.
  func body(appID: String) -> JSON {
    var members: [JSON.Member] = [.init("provider", .string(provider))]
    switch self {
    case .anonymous: break
    case .emailPassword(let email, let password):
      members += [.init("username", .string(email)), .init("password", .string(password))]
    case .apiKey(let key): members.append(.init("key", .string(key)))
    case .jwt(let token): members.append(.init("token", .string(token)))
    }
    members.append(.init("options", ["device": Device.description(appID: appID)]))
    return .object(members)
  }
}

/// What a login tells about the device: twelve texts, possibly empty.
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
