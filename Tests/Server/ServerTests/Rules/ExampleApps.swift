// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

@testable import FlexSyncRules

/// An app directory with documents, and what is known of its users.
struct ExampleApp: Sendable, CustomStringConvertible {
  let name: String
  /// The documents of classes by their files.
  let documents: [(className: String, file: String)]
  /// A text of each class that decides nothing.
  let texts: [String: String]
  let users: [String: UserContext]

  var description: String { name }

  func load() throws -> RuledApp { try RuledApp(RuledApp.directory(name), users: users) }
}

enum ExampleApps {
  static let all = [fieldService, sharedNotes, people, groceries]

  static let fieldService = ExampleApp(
    name: "FieldService",
    documents: [("Job", "jobs.json"), ("Site", "sites.json"), ("Staff", "staff.json")],
    texts: ["Job": "title", "Site": "name", "Staff": "phone"],
    users: [
      "dora": user("64b00000000000000000000a", customData: ["isDispatcher": true]),
      "tom": user(
        "64b00000000000000000000b",
        customData: ["isDispatcher": false, "technicianId": ["$oid": "65d000000000000000000001"]]
      ),
      "tia": user(
        "64b00000000000000000000c",
        customData: ["technicianId": ["$oid": "65d000000000000000000002"]]
      ),
      // Who looks after sites sees the jobs that link to them; of the third there is only the key.
      "ina": user("64b000000000000000000010", customData: ["sites": [["$oid": "65d000000000000000000051"]]]),
      "ivo": user(
        "64b000000000000000000011",
        customData: [
          "sites": [["$oid": "65d000000000000000000052"], ["$oid": "65d000000000000000000053"]]
        ]
      ),
      "nil": user("64b000000000000000000012", customData: ["sites": [nil]]),
      "new": user("64b00000000000000000000d", customData: ["technicianId": nil]),
      "eve": user("64b00000000000000000000e"),
      // The text of an identifier is not the identifier.
      "mal": user("64b00000000000000000000f", customData: ["technicianId": "65d000000000000000000001"]),
    ]
  )

  static let sharedNotes = ExampleApp(
    name: "SharedNotes",
    documents: [("Note", "notes.json"), ("Task", "tasks.json")],
    texts: ["Note": "text", "Task": "text"],
    users: [
      "ada": user(
        "64b10000000000000000000a",
        customData: ["folders": ["team"], "labels": ["red", "blue"], "frozen": ["done"]]
      ),
      "bob": user("64b10000000000000000000b"),
      "cem": user("64b10000000000000000000c", customData: ["folders": .array([]), "labels": .array([])]),
      "mod": user("64b10000000000000000000d", customData: ["labels": ["red"], "frozen": .array([])]),
      "dan": user("64b10000000000000000000e", customData: ["folders": ["private", nil], "labels": ["red"]]),
    ]
  )

  static let people = ExampleApp(
    name: "People",
    documents: [("Person", "persons.json"), ("Review", "reviews.json")],
    texts: ["Person": "phone", "Review": "text"],
    users: [
      "hanna": user("64b20000000000000000000a", data: ["groups": ["hr"]]),
      "emil": user("64b20000000000000000000b", data: ["groups": ["staff"]]),
      "ella": user("64b20000000000000000000c", data: ["groups": ["staff"]]),
      "guest": user("64b20000000000000000000d"),
      "robot": user("64b20000000000000000000e", type: "server", data: ["groups": ["staff"]]),
    ]
  )

  static let groceries = ExampleApp(
    name: "Groceries",
    documents: [("Item", "items.json"), ("Household", "households.json")],
    texts: ["Item": "name", "Household": "name"],
    users: [
      "admin": user("64b30000000000000000000a", data: ["email": "admin@example.com"]),
      "bob": user("64b30000000000000000000b", data: ["email": "bob@example.com"]),
      "cem": user("64b30000000000000000000c", data: ["email": "cem@example.com"]),
      "anon": user("64b30000000000000000000d"),
    ]
  )

  private static func user(
    _ id: String,
    type: String = "normal",
    data: JSON = .object([]),
    customData: JSON = .object([])
  ) -> UserContext {
    UserContext(id: id, type: type, data: data, customData: customData)
  }
}
