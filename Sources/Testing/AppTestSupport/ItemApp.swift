// SPDX-License-Identifier: Apache-2.0

/// The app of the documentation's page on writing to a synced realm, word for word: its queryable fields, and its role.
package struct ItemApp {
  private let app: WrittenApp
  package var path: String { app.path }

  package init() throws {
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
