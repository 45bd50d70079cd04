// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// An app with the fields that the documentation of Flexible Sync queries.
final class StoreApp {
  static let schema = Schema([
    ClassSchema(
      name: "Store",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "store_id", type: .int),
        PropertySchema(name: "user_id", type: .string, isNullable: true),
        PropertySchema(name: "region", type: .string, isNullable: true),
        PropertySchema(name: "active_promotions", type: .int),
        PropertySchema(name: "num_employees", type: .int),
        PropertySchema(name: "secret", type: .string, isNullable: true),
        PropertySchema(name: "genres", type: .string, collection: .list),
        PropertySchema(name: "scores", type: .int, collection: .list),
        PropertySchema(name: "address", type: .link, isNullable: true, linkTarget: "Address"),
        PropertySchema(name: "owner", type: .link, isNullable: true, linkTarget: "Person"),
      ]
    ),
    ClassSchema(
      name: "Address",
      kind: .embedded,
      primaryKey: nil,
      properties: [PropertySchema(name: "city", type: .string, isNullable: true)]
    ),
    ClassSchema(
      name: "Person",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [PropertySchema(name: "name", type: .string, isNullable: true)]
    ),
  ])

  private static let schemas = [
    "stores": #"""
    {"title":"Store","bsonType":"object","required":["_id","store_id","active_promotions","num_employees"],
    "properties":{"_id":{"bsonType":"long"},"store_id":{"bsonType":"long"},"user_id":{"bsonType":"string"},
    "region":{"bsonType":"string"},"active_promotions":{"bsonType":"long"},"num_employees":{"bsonType":"long"},
    "secret":{"bsonType":"string"},"genres":{"bsonType":"array","items":{"bsonType":"string"}},
    "scores":{"bsonType":"array","items":{"bsonType":"long"}},
    "address":{"title":"Address","bsonType":"object","properties":{"city":{"bsonType":"string"}}},
    "owner":{"bsonType":"long"}}}
    """#,
    "persons": #"""
    {"title":"Person","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
    "name":{"bsonType":"string"}}}
    """#,
  ]

  private let app: SmallApp
  var path: String { app.path }

  /// - Parameter indexedField: the field that every subscription has to ask for.
  init(indexedField: String? = nil) {
    let fields = [
      "store_id", "user_id", "region", "active_promotions", "num_employees", "genres", "scores", "address",
      "owner",
    ]
    let list = fields.map { "\"\($0)\"" }.joined(separator: ",")
    let indexed = indexedField.map { ",\"indexed_queryable_fields_names\":[\"\($0)\"]" } ?? ""
    app = SmallApp(sync: "\"queryable_fields_names\":[\(list)]\(indexed)", schemas: Self.schemas)
    app.writeRelationships(
      ##"{"owner":{"ref":"#/relationship/s/d/persons","foreign_key":"_id","is_list":false}}"##,
      of: "stores"
    )
  }

  static func store(_ number: Int64) -> ObjectReference {
    ObjectReference(table: "Store", key: .int(number))
  }

  /// A new store that is one of everything.
  static func newStore(
    _ number: Int64,
    storeID: Int64,
    region: String,
    promotions: Int64 = 0,
    employees: Int64 = 0,
    genres: [String] = []
  ) -> [Instruction] {
    let object = store(number)
    func set(_ field: String, _ value: Value) -> Instruction {
      .update(PropertyPath(object: object, field: field), .value(value), .isDefault(false))
    }
    let values = genres.enumerated().map { index, genre in
      Instruction.arrayInsert(
        PropertyPath(object: object, field: "genres", path: [.index(UInt32(index))]),
        .value(.string(genre)),
        priorSize: UInt32(index)
      )
    }
    return [
      .createObject(object), set("store_id", .int(storeID)), set("region", .string(region)),
      set("user_id", .string("641374b03725038381d2e1fb")),
      set("active_promotions", .int(promotions)), set("num_employees", .int(employees)),
    ] + values
  }
}
