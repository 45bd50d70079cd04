// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@testable import FlexSyncCore

/// The server selects by a subscription what the device selects by the same query.
@Suite struct QueryRoundTripTests {
  private static let queries: [(String, [Cell])] = [
    ("progressMinutes == 10", []), ("progressMinutes != 10", []), ("progressMinutes >= 20", []),
    ("progressMinutes < 20 AND completed == true", []),
    ("assignee == 'ada' OR assignee == NULL", []), ("NOT (assignee == 'ada')", []),
    ("assignee != 'ada'", []), ("progressMinutes IN { 0, 20, 1 }", []),
    ("NOT assignee IN {'ada', 'Bob'}", []),
    ("progressMinutes BETWEEN {10, 30}", []), ("taskName BEGINSWITH 'pa'", []),
    ("taskName ENDSWITH 'Wall'", []), ("taskName CONTAINS[c] 'WALL'", []), ("taskName LIKE '*t ?he*'", []),
    ("assignee ==[c] 'bob'", []), ("dueDate > T1000:0", []),
    ("assignee == $0", [.string("ada")]), ("assignee == $0 AND progressMinutes > $1", [.null, .int(5)]),
    ("taskName == $0", [.string("quote \" and (brackets) OR '")]), ("TRUEPREDICATE", []),
    ("FALSEPREDICATE", []),
  ]

  // Feature 101, 105, 106, 107
  @Test func subscriptionsAndLocalQueriesSelectTheSame() throws {
    let server = try SyncServer()
    let (author, reader) = (try Device(server), try Device(server))
    try author.subscribe(["Task": "TRUEPREDICATE", "Team": "TRUEPREDICATE"])
    let names = ["paint the Wall", "paint The wall", "sweep", "quote \" and (brackets) OR '"]
    let assignees: [Cell] = [.string("ada"), .string("Bob"), .null]
    let realm = try author.realm
    try realm.write {
      for number in 0..<24 {
        try realm.create(
          "Task",
          .objectId(newObjectId()),
          [
            "taskName": .string(names[number % 4]), "assignee": assignees[number % 3],
            "progressMinutes": .int(Int64(number % 5) * 10), "completed": .bool(number % 2 == 0),
            "dueDate": .timestamp(Int64(number) * 100, 0),
          ]
        )
      }
    }
    try author.upload()
    for (query, arguments) in Self.queries {
      let set = try reader.realm.updateSubscriptions { update in
        _ = update.removeAll()
        try update.add(try reader.realm.objects("Task").filter(query, arguments))
      }
      try set.wait()
      try reader.realm.refresh()
      let expected = try author.realm.objects("Task").filter(query, arguments).ids
      #expect(try reader.realm.objects("Task").ids == expected, "\(query)")
      // What is here can be asked for in any way, also in those that no subscription has.
      #expect(
        try reader.realm.objects("Task").filter("\(query) SORT(taskName DESC) LIMIT(2)", arguments).count
          == min(2, expected.count)
      )
    }
  }

  // Feature 103, 108
  @Test func arraysAreAskedForAConstant() throws {
    let server = try SyncServer()
    let (author, reader) = (try Device(server), try Device(server))
    try author.subscribe(["Team": "TRUEPREDICATE"])
    let realm = try author.realm
    try realm.write {
      for (name, members) in [("first", ["ada", "bob"]), ("second", ["eve"]), ("third", [])] {
        let team = try realm.create("Team", .objectId(newObjectId()), ["teamName": .string(name)])
        for member in members { try team.list("members").append(.string(member)) }
      }
    }
    try author.upload()
    for query in [
      "'ada' IN members", "ANY members == 'eve'", "members.@count == 0",
      "members.@count > 0 AND teamName == 'first'",
      "NOT 'eve' IN members", "ALL members == 'eve'",
    ] {
      try reader.subscribe(["Team": query])
      try reader.realm.refresh()
      #expect(
        try reader.realm.objects("Team").ids == author.realm.objects("Team").filter(query).ids,
        "\(query)"
      )
    }
  }
}

extension TestResults {
  /// The keys of all objects, sorted.
  fileprivate var ids: [String] {
    get throws { try values("_id").map { "\($0)" }.sorted() }
  }
}
