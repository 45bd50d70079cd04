// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

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

/// The app of that page, word for word: its queryable fields, and its role.
struct ItemApp {
  private let app: WrittenApp
  var path: String { app.path }

  init() throws {
    app = try WrittenApp(
      sync: #""queryable_fields_names":["complexity","ownerId"]"#,
      role: #"""
        {
          "name": "owner-read-write",
          "apply_when": {},
          "document_filters": {
            "read": { "ownerId": "%%user.id" },
            "write": { "ownerId": "%%user.id" }
          },
          "read": true,
          "write": true
        }
        """#,
      schemas: [
        "Item": #"""
        {"title":"Item","bsonType":"object","required":["_id","ownerId","itemName","complexity"],
        "properties":{"_id":{"bsonType":"objectId"},"ownerId":{"bsonType":"string"},
        "itemName":{"bsonType":"string"},"complexity":{"bsonType":"long"}}}
        """#
      ]
    )
  }
}
