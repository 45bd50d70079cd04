// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncServerSupport

/// Writes the plans for users.
struct MigrationWriter {
  /// The number of users per transaction.
  private static let batchCount = 500

  let store: ServerStore
  let clock: WallClock
  let anonymousKeys: AnonymousKeyFile?

  func write(_ plans: [MigrationPlanner.Plan]) throws {
    var rest = plans[...]
    while !rest.isEmpty {
      let batch = rest.prefix(MigrationWriter.batchCount)
      rest = rest.dropFirst(batch.count)
      let keys = batch.filter(\.needsAnonymousKey).map { (userID: $0.user.id, key: Identifiers.makeSecret()) }
      try anonymousKeys?.append(keys)
      try store.write {
        for plan in batch { try write(plan) }
        for (userID, key) in keys { try insertAnonymousKey(key, of: userID) }
      }
    }
  }

  private func write(_ plan: MigrationPlanner.Plan) throws {
    let user = plan.user
    let created = user.created ?? clock.seconds
    if plan.isNew {
      var record = UserRecord(id: user.id, isServer: user.isServer, created: created)
      record.lastLogin = user.lastLogin
      record.isDisabled = user.isDisabled
      try store.insert(record)
    } else {
      try store.noteAccountChange(userID: user.id, time: clock.seconds)
    }
    for identity in plan.missing {
      var record = IdentityRecord(
        provider: identity.provider,
        subject: identity.subject,
        id: identity.id,
        created: created
      )
      record.userID = user.id
      record.data = identity.data.serialized
      try insert(record)
    }
    for (email, secret) in plan.secrets { try set(secret, of: email) }
    for (id, key) in plan.apiKeys {
      let name = user.identities.first { $0.id == id }?.data["name"]?.stringValue ?? id
      let isServer = user.isServer
      try insert(
        APIKeyRecord(key, id: id, userID: user.id, name: name, isServer: isServer, created: clock.seconds)
      )
    }
  }

  /// Adds an identity. It may have been registered since the file was checked.
  private func insert(_ identity: IdentityRecord) throws {
    guard try store.insert(identity) else {
      throw ServerError(
        "the \(identity.provider) identity \(identity.subject) was registered during the migration; run the "
          + "command again"
      )
    }
  }

  /// Stores a secret, unless the user has set a password since the file was checked.
  private func set(_ secret: String, of email: String) throws {
    guard var identity = try store.identity(provider: Provider.emailPassword, subject: email),
      !AccountSecret(identity.passwordHash).isHash
    else { return }
    identity.passwordHash = secret
    try store.update(identity)
  }

  /// Adds a key as a second identity. An identity other than the anonymous one keeps SDKs from deleting the user's
  /// files at log-out.
  private func insertAnonymousKey(_ key: String, of userID: String) throws {
    let name = WaysBack.anonymousKeyName
    let record = APIKeyRecord(key, userID: userID, name: name, created: clock.seconds)
    try insert(IdentityRecord(of: record))
    try insert(record)
  }

  private func insert(_ key: APIKeyRecord) throws {
    guard try store.insert(key) else {
      throw ServerError(
        "the user \(key.userID) already has the API key \"\(key.name)\"; remove it from the --api-keys file"
      )
    }
  }
}
