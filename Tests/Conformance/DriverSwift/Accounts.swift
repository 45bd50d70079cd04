// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// The users of all devices, and how they log in.
@MainActor
final class Accounts {
  /// What the scenario calls a user, by id.
  private var names: [String: String] = [:]
  /// The API keys that were made, by name.
  private var keys: [String: UserAPIKey] = [:]

  private static let actions: Set = [
    "register", "login", "link", "switch", "logout", "remove", "delete", "users", "key", "keys",
  ]

  static func plays(_ step: Step) throws -> Bool { actions.contains(try step.required("do")) }

  /// Does a step on a device and returns the line that it prints.
  func play(_ step: Step, _ app: App) async throws -> String {
    do {
      switch try step.required("do") {
      case "register": return try await register(step, app)
      case "login": return try await logIn(step, app)
      case "link": return try await link(step, app)
      case "switch":
        app.switch(to: try user(step, app))
        return "\(try step.required("user")) is the current user"
      case "users": return describeUsers(app)
      case "key": return try await changeKey(step, app)
      case "keys": return try await describeKeys(step, app)
      default: return try await end(step, app)
      }
    } catch let error as AppError {
      return "failed: \(error.serverCode.isEmpty ? "\(error.code)" : error.serverCode)"
    }
  }

  private func register(_ step: Step, _ app: App) async throws -> String {
    let name = try step.required("user")
    try await app.emailPasswordAuth.registerUser(email: "\(name)@example.com", password: "password")
    return "registered \(name)"
  }

  private func logIn(_ step: Step, _ app: App) async throws -> String {
    let user = try await app.login(credentials: try credentials(step))
    if names[user.id] == nil { names[user.id] = try step.required("user") }
    return "\(name(user)) logged in with \(user.providerType)"
  }

  private func link(_ step: Step, _ app: App) async throws -> String {
    let user = try await user(step, app).linkUser(credentials: try credentials(step))
    return "\(name(user)) has \(user.identities.map(\.providerType).joined(separator: ", "))"
  }

  private func end(_ step: Step, _ app: App) async throws -> String {
    let user = try user(step, app)
    switch try step.required("do") {
    case "logout": try await user.logOut()
    case "remove": try await user.remove()
    default: try await user.delete()
    }
    return "\(name(user)) is \(words(user.state))"
  }

  private func credentials(_ step: Step) throws -> Credentials {
    switch try step.required("with") {
    case "anonymous": return .anonymous
    case "token": return .jwt(token: try step.required("secret"))
    case "key": return .userAPIKey(try key(try step.required("secret")).key ?? "")
    case "password":
      let name = try step.text("email") ?? step.required("user")
      return .emailPassword(email: "\(name)@example.com", password: step.text("secret") ?? "password")
    case let other: throw ScenarioError("unknown credentials '\(other)'")
    }
  }

  // MARK: API keys

  private func changeKey(_ step: Step, _ app: App) async throws -> String {
    let (action, name) = (try step.required("action"), try step.required("name"))
    let auth = try user(step, app).apiKeysAuth
    if action == "create" {
      let key = try await auth.createAPIKey(named: name)
      keys[name] = key
      return "key \(key.name) created"
    }
    let id = try key(name).objectId
    switch action {
    case "enable": try await auth.enableAPIKey(id)
    case "disable": try await auth.disableAPIKey(id)
    default: try await auth.deleteAPIKey(id)
    }
    return "key \(name) \(action)d"
  }

  private func key(_ name: String) throws -> UserAPIKey {
    guard let key = keys[name] else { throw ScenarioError("there is no key '\(name)'") }
    return key
  }

  private func describeKeys(_ step: Step, _ app: App) async throws -> String {
    let keys = try await user(step, app).apiKeysAuth.fetchAPIKeys()
    return list("keys", keys.map { "\($0.name) \($0.disabled ? "disabled" : "enabled")" })
  }

  // MARK: Users

  private func user(_ step: Step, _ app: App) throws -> User {
    let name = try step.required("user")
    guard let user = app.allUsers.values.first(where: { names[$0.id] == name }) else {
      throw ScenarioError("the device does not know the user '\(name)'")
    }
    return user
  }

  private func name(_ user: User) -> String { names[user.id] ?? "somebody" }

  private func describeUsers(_ app: App) -> String {
    let current = app.currentUser
    let users = app.allUsers.values.map { user in
      "\(name(user)) \(words(user.state))\(user == current ? " (current)" : "")"
    }
    return list("users", users.sorted())
  }

  private func words(_ state: UserState) -> String {
    switch state {
    case .loggedIn: "logged in"
    case .loggedOut: "logged out"
    case .removed: "removed"
    }
  }

  private func list(_ what: String, _ elements: [String]) -> String {
    "\(what): \(elements.isEmpty ? "none" : elements.joined(separator: ", "))"
  }
}
