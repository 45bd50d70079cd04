// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncConfiguration
import FlexSyncModel

/// The app of the simulations.
///
/// - `Item`: Objects that clients edit concurrently, with every kind of property. `owner`, `level` and `done`
///   determine who sees an item.
/// - `Journal` and `Witness`: Each write transaction creates one object of each with the same key. They are never
///   deleted, so the final checks find transactions that are lost, applied twice, or only partly visible.
/// - `Member`: An object for each user whose role has been changed by an app; names the user's role, if the plan has
///   roles that depend on synced data.
/// - `Memo`: Added by a newer version of the app; linked from items, and subscribed to by clients whose app has it.
/// - `Board`: A single object. Each transaction appends its key to the board's log and increments its counter.
package enum SimulationSchema {
  static let item = "Item"
  static let place = "Place"
  static let journal = "Journal"
  static let witness = "Witness"
  static let board = "Board"
  static let member = "Member"
  static let memo = "Memo"

  /// Returns the user id of a client.
  static func userID(_ number: Int) -> String { "user\(number)" }

  /// The classes that clients subscribe to.
  static let topLevelClasses = [board, item, journal, member, memo, witness]

  /// The newest version of the app.
  static let newestVersion = 3

  /// Returns the schema of a version of the app, starting at 0.
  static func schema(version: Int) -> Schema {
    guard version > 0 else { return schema }
    var classes = schema.classes.filter { $0.name != item }
    if var item = schema[item] {
      item.properties += additions.prefix(version).flatMap { $0 }
      classes.append(item)
    }
    if version >= 2 { classes.append(memos) }
    return Schema(classes)
  }

  /// The properties of items that each version adds.
  private static let additions = [
    [
      PropertySchema(name: "remark", type: .string, isNullable: true),
      PropertySchema(name: "readers", type: .string, collection: .list),
    ],
    [PropertySchema(name: "memos", type: .link, collection: .list, linkTarget: memo)],
    [PropertySchema(name: "ratings", type: .int, isNullable: true, collection: .dictionary)],
  ]

  private static let memos = ClassSchema(
    name: memo,
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [
      PropertySchema(name: "text", type: .string, isNullable: true),
      PropertySchema(name: "labels", type: .string, collection: .set),
      PropertySchema(name: "about", type: .link, isNullable: true, linkTarget: item),
    ]
  )

  static let schema = Schema([
    ClassSchema(
      name: item,
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "owner", type: .string, isNullable: true),
        PropertySchema(name: "level", type: .int),
        PropertySchema(name: "done", type: .bool),
        PropertySchema(name: "title", type: .string, isNullable: true),
        PropertySchema(name: "counter", type: .int),
        PropertySchema(name: "anything", type: .mixed, isNullable: true),
        PropertySchema(name: "names", type: .string, collection: .list),
        PropertySchema(name: "labels", type: .string, collection: .set),
        PropertySchema(name: "options", type: .mixed, isNullable: true, collection: .dictionary),
        PropertySchema(name: "place", type: .link, isNullable: true, linkTarget: place),
        PropertySchema(name: "stops", type: .link, collection: .list, linkTarget: place),
        PropertySchema(
          name: "sites",
          type: .link,
          isNullable: true,
          collection: .dictionary,
          linkTarget: place
        ),
        PropertySchema(name: "friend", type: .link, isNullable: true, linkTarget: item),
        PropertySchema(name: "friends", type: .link, collection: .list, linkTarget: item),
      ] + (0..<greatestClientCount).map { PropertySchema(name: note($0), type: .string, isNullable: true) }
    ),
    ClassSchema(
      name: place,
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "street", type: .string),
        PropertySchema(name: "number", type: .int, isNullable: true),
        PropertySchema(name: "tags", type: .string, collection: .list),
      ]
    ),
    mark(journal),
    mark(witness),
    ClassSchema(
      name: member,
      primaryKey: PropertySchema(name: "_id", type: .string),
      properties: [PropertySchema(name: "role", type: .int)]
    ),
    ClassSchema(
      name: board,
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "log", type: .string, collection: .list),
        PropertySchema(name: "hits", type: .int),
      ]
    ),
  ])

  private static func mark(_ name: String) -> ClassSchema {
    ClassSchema(
      name: name,
      primaryKey: PropertySchema(name: "_id", type: .string),
      properties: [PropertySchema(name: "client", type: .int)]
    )
  }

  static let queryableFields = ["owner", "level", "done", "client"]

  static let appID = "simulation-abcde"

  /// Returns the configuration that the server serves.
  static func configuration(maximumOfflineDays: Int?, isDevelopmentMode: Bool) -> AppConfiguration {
    var app = AppConfiguration(appID: appID, schema: schema, queryableFields: queryableFields)
    app.providers.allowsAnonymous = true
    app.sync.isDevelopmentMode = isDevelopmentMode
    app.sync.maximumOfflineDays = maximumOfflineDays
    return app
  }

  static let greatestClientCount = 4

  /// Returns the property of items that only the given client writes.
  static func note(_ client: Int) -> String { "note\(client)" }

  static let theBoard = ObjectReference(table: board, key: .int(1))

  /// Returns the object that holds the role of a client's user.
  static func member(_ client: Int) -> ObjectReference {
    ObjectReference(table: member, key: .string(userID(client)))
  }

  static func item(_ number: Int64) -> ObjectReference { ObjectReference(table: item, key: .int(number)) }
}
