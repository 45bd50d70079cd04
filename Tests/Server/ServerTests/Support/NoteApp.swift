// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport

/// An app directory of a test with one class, which a test changes while it is served.
struct NoteApp {
  static let note = ObjectReference(table: "Note", key: .int(1))

  static let schema = Schema([
    ClassSchema(
      name: "Note",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [PropertySchema(name: "text", type: .string), PropertySchema(name: "level", type: .int)]
    )
  ])

  private let app = SmallApp(schemas: ["Note": NoteApp.text(className: "Note")])

  private static func text(className: String) -> String {
    """
    {"title":"\(className)","bsonType":"object","required":["_id","text","level"],
     "properties":{"_id":{"bsonType":"long"},"text":{"bsonType":"string"},"level":{"bsonType":"long"}}}
    """
  }

  /// Gives the class another name.
  func rename(to className: String) {
    folder.write(Self.text(className: className), to: "data_sources/s/d/Note/schema.json")
  }

  var folder: TemporaryFolder { app.folder }
  var path: String { app.path }

  /// Lets subscriptions ask for these fields only.
  func allow(queries fields: String..., indexed: String? = nil) {
    let names = fields.map { "\"\($0)\"" }.joined(separator: ",")
    let indexed = indexed.map { ",\"indexed_queryable_fields_names\":[\"\($0)\"]" } ?? ""
    folder.write(
      """
      {"type":"flexible","state":"enabled","service_name":"s","database_name":"d","client_max_offline_days":30,
       "queryable_fields_names":[\(names)]\(indexed)}
      """,
      to: "sync/config.json"
    )
  }

  /// A client that has what the query asks for.
  func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(#"{"Note":"(\#(query))"}"#)
    try client.synchronize()
    return client
  }
}
