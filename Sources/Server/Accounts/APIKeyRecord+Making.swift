// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

extension APIKeyRecord {
  /// Creates a new key for a user. Returns the record to store and the key itself, which is not stored.
  package static func make(name: String, userID: String, created: Int64) -> (
    record: APIKeyRecord, key: String
  ) {
    let key = Identifiers.makeSecret()
    let record = APIKeyRecord(
      id: Identifiers.make(),
      userID: userID,
      name: name,
      digest: Identifiers.digest(key),
      isServer: false,
      created: created
    )
    return (record, key)
  }
}
