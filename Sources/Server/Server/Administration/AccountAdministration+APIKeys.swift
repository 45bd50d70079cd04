// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncServerStore
import FlexSyncServerSupport

extension APIKeyRecord {
  /// The JSON that `--json` prints.
  public var json: JSON {
    [
      "id": .string(id), "name": .string(name), "user_id": .string(userID), "server": .bool(isServer),
      "disabled": .bool(isDisabled), "created": .integer(created),
    ]
  }
}

/// Server keys, each with a user of its own, and the API keys of users.
extension AccountAdministration {
  private static let maximumServerKeyCount = 100

  /// Returns the keys of a user, or the server keys.
  ///
  /// - Parameter name: The user's identifier or e-mail address; nil for the server keys.
  public func apiKeys(of name: String?) throws -> [APIKeyRecord] {
    try name.map { try store.apiKeys(userID: try user($0).id) } ?? store.serverAPIKeys()
  }

  /// Creates a server key.
  ///
  /// - Returns: The key itself, which cannot be retrieved later, and its record.
  public func createServerAPIKey(name: String) throws -> (key: String, record: APIKeyRecord) {
    guard !name.isEmpty else { throw ServerError("--name is empty; give the key a name") }
    let key = Identifiers.makeSecret()
    let user = UserRecord(id: Identifiers.make(), isServer: true, created: clock.seconds)
    let record = APIKeyRecord(key, userID: user.id, name: name, isServer: true, created: clock.seconds)
    try store.write {
      let others = try store.serverAPIKeys()
      guard !others.contains(where: { $0.name == name }) else {
        throw ServerError("a server API key named \"\(name)\" already exists; choose another --name")
      }
      guard others.count < AccountAdministration.maximumServerKeyCount else {
        throw ServerError(
          "an app can have at most \(AccountAdministration.maximumServerKeyCount) server API keys"
        )
      }
      try store.insert(user)
      _ = try store.insert(IdentityRecord(of: record))
      _ = try store.insert(record)
    }
    return (key, record)
  }

  /// Creates a key with which a user can log in.
  ///
  /// - Parameter userName: The user's identifier or e-mail address.
  /// - Returns: The key itself, which cannot be retrieved later, and its record.
  public func createAPIKey(name: String, of userName: String) throws -> (key: String, record: APIKeyRecord) {
    guard APIKeyName.isValid(name) else { throw ServerError("--name \"\(name)\": \(APIKeyName.rule)") }
    let user = try user(userName)
    let maximum = AccountPolicy().apiKeysPerUser
    let key = Identifiers.makeSecret()
    let record = APIKeyRecord(key, userID: user.id, name: name, created: clock.seconds)
    try store.write {
      guard try store.apiKeys(userID: user.id).count < maximum else {
        throw ServerError(
          "the user \(user.id) already has \(maximum) API keys, the maximum; delete one first"
        )
      }
      guard try store.insert(record) else {
        throw ServerError(
          "the user \(user.id) already has an API key named \"\(name)\"; choose another --name"
        )
      }
    }
    return (key, record)
  }

  /// Enables or disables a key. Disabling it also revokes the log-ins made with it.
  public func setDisabled(_ isDisabled: Bool, apiKey id: String) throws {
    let key = try apiKey(id)
    try store.write { try editor.setDisabled(isDisabled, key) }
  }

  /// Deletes a key and revokes the log-ins made with it. The user of a server key is deleted as well.
  public func deleteAPIKey(_ id: String) throws {
    let key = try apiKey(id)
    if key.isServer { return try delete(key.userID) }
    try store.write { try editor.delete(key) }
  }

  /// - Parameter name: The identifier of a key, or the name of a server key.
  private func apiKey(_ name: String) throws -> APIKeyRecord {
    if let key = try store.apiKey(id: name) { return key }
    guard let key = try store.serverAPIKeys().first(where: { $0.name == name }) else {
      throw ServerError(
        "the app \(appID) has neither an API key with the identifier \"\(name)\" nor a server key of that name. For "
          + "identifiers see flexsyncd users api-keys list, with --user for the keys of a user"
      )
    }
    return key
  }
}
