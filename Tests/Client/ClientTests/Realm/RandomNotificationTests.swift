// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

/// Random writes of two handles. Who keeps a copy of results by their notifications alone has what is in the realm.
@Suite struct RandomNotificationTests {
  /// A copy of results that is changed by notifications alone.
  private final class Mirror {
    let results: TestResults
    let properties: [String]
    let observation: Observation<Change>
    var rows: [[Cell]] = []

    init(_ results: TestResults, _ properties: [String] = ["_id", "progress", "name", "isDone"]) throws {
      self.results = results
      self.properties = properties
      observation = try results.observe()
    }

    func row(at index: Int) throws -> [Cell] {
      let object = try results.object(at: index)
      return try properties.map { try object.get($0) }
    }

    /// What the copy has to be.
    var actual: [[Cell]] {
      get throws { try (0..<(try results.count)).map { try row(at: $0) } }
    }

    func follow() throws {
      for change in observation.take() {
        if change.isInitial {
          rows = try actual
          continue
        }
        for index in change.deletions.reversed() { rows.remove(at: index) }
        for index in change.insertions { rows.insert(try row(at: index), at: index) }
        for index in change.modifications { rows[index] = try row(at: index) }
      }
    }
  }

  private let folder = TemporaryFolder()

  @Test(arguments: 0..<6)
  func copiesKeptByNotificationsAreRight(_ round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let path = folder.file("random.realm")
    let handles = [try TestRealm(path: path), try TestRealm(path: path)]
    let observed = handles[0]
    let tasks = try observed.objects("Task")
    let mirrors = try [
      Mirror(tasks),
      Mirror(tasks.filter("progress < 50")),
      Mirror(tasks.filter("progress >= 20 AND isDone == true")),
      Mirror(tasks.sort("progress")),
      Mirror(tasks.filter("isDone == false SORT(name DESC, progress ASC) LIMIT(5)")),
      Mirror(tasks.filter("owner.age > 30")),
      Mirror(tasks.filter("ANY tags == 'a'")),
      Mirror(tasks.filter("TRUEPREDICATE DISTINCT(name)")),
    ]
    try observed.refresh()
    for _ in 0..<60 {
      let handle = handles[Int.random(in: 0...1, using: &generator)]
      try handle.beginWrite()
      // Indexes are those of the data that a report is about.
      for mirror in mirrors { try mirror.follow() }
      for _ in 0..<Int.random(in: 0...6, using: &generator) { try change(handle, &generator) }
      if Int.random(in: 0..<5, using: &generator) == 0 { try handle.cancel() } else { try handle.commit() }
      for mirror in mirrors { try mirror.follow() }
      if Bool.random(using: &generator) { try observed.refresh() }
      for (number, mirror) in mirrors.enumerated() {
        try mirror.follow()
        #expect(mirror.rows == (try mirror.actual), "seed \(seed), results \(number)")
      }
    }
  }

  private func change(_ realm: TestRealm, _ generator: inout SeededGenerator) throws {
    let key = Cell.int(Int64.random(in: 0..<15, using: &generator))
    guard let task = try realm.find("Task", key) else {
      let task = try realm.create("Task", key)
      return try task.set("progress", .int(Int64.random(in: 0..<100, using: &generator)))
    }
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: try task.delete()
    case 1: try task.set("progress", .int(Int64.random(in: 0..<100, using: &generator)))
    case 2: try task.set("name", .string(["a", "b", "c"][Int.random(in: 0..<3, using: &generator)]))
    case 3: try task.set("isDone", .bool(Bool.random(using: &generator)))
    case 4: try task.add(Int64.random(in: -9...9, using: &generator), to: "progress")
    case 5: try task.list("tags").append(.string(["a", "b"][Int.random(in: 0..<2, using: &generator)]))
    case 6: try task.list("tags").clear()
    case 7: try task.set("owner", try person(realm, &generator).link)
    default:
      let person = try person(realm, &generator)
      if Bool.random(using: &generator) {
        try person.delete()
      } else {
        try person.set("age", .int(Int64.random(in: 20..<40, using: &generator)))
      }
    }
  }

  private func person(_ realm: TestRealm, _ generator: inout SeededGenerator) throws -> TestObject {
    let key = Cell.string(["Ann", "Bob"][Int.random(in: 0..<2, using: &generator)])
    return try realm.find("Person", key) ?? realm.create("Person", key, ["age": .int(35)])
  }

  // MARK: Links within a class

  private static let nodes = [
    TestClass(
      name: "Node",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(name: "number", type: .FLX_TYPE_INT),
        TestProperty(name: "next", type: .FLX_TYPE_LINK, target: "Node"),
        TestProperty(name: "others", type: .FLX_TYPE_LINK, collection: .FLX_COLLECTION_LIST, target: "Node"),
      ]
    )
  ]

  @Test(arguments: 0..<4)
  func copiesOfResultsThatLinksWithinTheClassDecideAreRight(_ round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let realm = try TestRealm(path: folder.file("nodes.realm"), classes: Self.nodes)
    let nodes = try realm.objects("Node")
    try realm.write { for number in 0..<40 { try realm.create("Node", .int(Int64(number))) } }
    let queries = [
      "next.number > 5", "next.next.number > 5", "next == NULL", "ANY others.number > 5",
      "others.@sum.number > 9", "others.@count > 1", "@links.Node.next.@count > 0",
      "ANY @links.Node.next.number > 5", "@links.@count > 1",
      "SUBQUERY(others, $x, $x.number > 5 AND $x.next.number < 5).@count > 0",
    ]
    let mirrors = try queries.map { try Mirror(nodes.filter($0), ["_id", "number"]) }
    try realm.refresh()
    for mirror in mirrors { try mirror.follow() }
    for _ in 0..<60 {
      try realm.beginWrite()
      for _ in 0..<Int.random(in: 1...3, using: &generator) { try changeNode(realm, &generator) }
      try realm.commit()
      for (query, mirror) in zip(queries, mirrors) {
        try mirror.follow()
        #expect(mirror.rows == (try mirror.actual), "seed \(seed), \(query)")
      }
    }
  }

  private func changeNode(_ realm: TestRealm, _ generator: inout SeededGenerator) throws {
    func node() throws -> TestObject {
      let key = Cell.int(Int64.random(in: 0..<40, using: &generator))
      return try realm.find("Node", key) ?? realm.create("Node", key)
    }
    let changed = try node()
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: try changed.delete()
    case 1, 2: try changed.set("number", .int(Int64.random(in: 0..<10, using: &generator)))
    case 3: try changed.set("next", try node().link)
    case 4: try changed.list("others").append(try node().link)
    default: try changed.list("others").clear()
    }
  }
}
