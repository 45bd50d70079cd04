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
    self.init(id: id, userID: userID, name: name, digest: digest, isServer: isServer, created: created)
  }
}

extension IdentityRecord {
  /// Creates the identity of a user who logs in with a key.
  package init(of key: APIKeyRecord) {
    let data: JSON = ["name": .string(key.name)]
    self.init(
      provider: Provider.apiKey,
      subject: key.id,
      id: key.id,
      userID: key.userID,
      data: data.serialized,
      created: key.created
    )
  }
}
