// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport

/// Contacts that embed addresses, which embed countries and link to contacts.
let contactSchema = Schema([
  ClassSchema(
    name: "Contact",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [
      PropertySchema(name: "name", type: .string),
      PropertySchema(name: "home", type: .link, isNullable: true, linkTarget: "Address"),
      PropertySchema(name: "addresses", type: .link, collection: .list, linkTarget: "Address"),
      PropertySchema(
        name: "places",
        type: .link,
        isNullable: true,
        collection: .dictionary,
        linkTarget: "Address"
      ),
      PropertySchema(name: "friend", type: .link, isNullable: true, linkTarget: "Contact"),
    ]
  ),
  ClassSchema(
    name: "Address",
    kind: .embedded,
    primaryKey: nil,
    properties: [
      PropertySchema(name: "street", type: .string),
      PropertySchema(name: "number", type: .int, isNullable: true),
      PropertySchema(name: "tags", type: .string, collection: .list),
      PropertySchema(name: "country", type: .link, isNullable: true, linkTarget: "Country"),
      PropertySchema(name: "former", type: .link, collection: .list, linkTarget: "Country"),
      PropertySchema(name: "landlord", type: .link, isNullable: true, linkTarget: "Contact"),
      PropertySchema(name: "neighbours", type: .link, collection: .list, linkTarget: "Contact"),
    ]
  ),
  ClassSchema(
    name: "Country",
    kind: .embedded,
    primaryKey: nil,
    properties: [
      PropertySchema(name: "name", type: .string),
      PropertySchema(name: "since", type: .timestamp),
    ]
  ),
])

/// A store in memory, inside a write transaction, with the classes of `contactSchema`.
func contactStore() throws -> ObjectStore {
  let store = try ObjectStore.inMemory()
  try store.database.beginWrite()
  try store.declare(contactSchema)
  return store
}

func contact(_ key: Int64) -> ObjectReference { ObjectReference(table: "Contact", key: .int(key)) }

extension ObjectReference {
  /// A path through any number of steps: strings are names, integers indexes.
  func path(_ field: String, _ steps: any Sendable...) -> PropertyPath {
    PropertyPath(
      object: self,
      field: field,
      path: steps.map { step in
        if let name = step as? String { .name(name) } else { .index(UInt32(step as? Int ?? 0)) }
      }
    )
  }
}
