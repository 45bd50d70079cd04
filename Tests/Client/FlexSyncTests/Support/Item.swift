// SPDX-License-Identifier: Apache-2.0

import FlexSync

/// The model of the documentation's page on writing to a synced realm.
class Item: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var ownerId: String
  @Persisted var itemName: String
  @Persisted var complexity: Int

  convenience init(_ name: String, owner: String, complexity: Int) {
    self.init()
    itemName = name
    ownerId = owner
    self.complexity = complexity
  }
}
