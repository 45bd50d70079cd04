// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

extension APIKeyRecord {
  /// Creates the record of a key. The key itself is not stored.
  package init(
    _ key: String,
    id: String = Identifiers.make(),
    userID: String,
    name: String,
    isServer: Bool = false,
    created: Int64
  ) {
    let digest = Identifiers.digest(key)
    self.init(id: id, userID: userID, name: name, digest: digest, created: created)
    self.isServer = isServer
  }
}

extension IdentityRecord {
  /// Creates the identity of an account with an e-mail address and a password.
  ///
  /// - Parameter subject: The e-mail address in normalized form.
  package init(account subject: String, email: String, created: Int64) {
    self.init(provider: Provider.emailPassword, subject: subject, id: Identifiers.make(), created: created)
    data = EmailAddress.data(email)
  }

  /// Creates the identity of a user who logs in with a key.
  package init(of key: APIKeyRecord) {
    self.init(provider: Provider.apiKey, subject: key.id, id: key.id, created: key.created)
    userID = key.userID
    data = (["name": .string(key.name)] as JSON).serialized
  }
}
