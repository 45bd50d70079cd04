// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

/// What observers of key paths are told, and what counts as a modification without key paths.
@Suite struct KeyPathNotificationTests {
  let folder = TemporaryFolder()
  let realm: TestRealm
  let path: String

  init() throws {
    path = folder.file("paths.realm")
    realm = try TestRealm(path: path)
    try realm.write {
      let ann = try realm.create("Person", .string("Ann"), ["age": .int(30)])
      let bob = try realm.create("Person", .string("Bob"), ["friend": ann.link])
      for id in 0..<4 {
        let task = try realm.create("Task", .int(Int64(id)), ["owner": id < 2 ? bob.link : .null])
        try ann.list("tasks").append(task.link)
      }
    }
  }

  private func task(_ id: Int64) throws -> TestObject { try #require(try realm.find("Task", .int(id))) }
  private func person(_ name: String) throws -> TestObject {
    try #require(try realm.find("Person", .string(name)))
  }

  /// Writes and returns what an observer is told of it.
  private func reports<Report>(_ observation: Observation<Report>, _ write: () throws -> Void) throws
    -> [Report]
  {
    try realm.refresh()
    _ = observation.take()
    try realm.write(write)
    return observation.take()
  }

  // MARK: Objects

  @Test func anObjectReportsTheValuesAtTheEndsOfItsPaths() throws {
    let task = try task(0)
    let observation = try task.observe(["name", "owner.age"])
    let (name, owner) = (try task.key("name"), try task.key("owner"))
    #expect(try reports(observation) { try task.set("progress", .int(5)) } == [])
    #expect(
      try reports(observation) { try task.set("name", .string("x")) } == [
        PathChange(properties: [name], paths: [0])
      ]
    )
    #expect(
      try reports(observation) { try person("Bob").set("age", .int(9)) } == [
        PathChange(properties: [owner], paths: [1])
      ]
    )
    #expect(try reports(observation) { try person("Ann").set("age", .int(9)) } == [])
    #expect(
      try reports(observation) { try task.set("owner", try person("Ann").link) } == [
        PathChange(properties: [owner], paths: [1])
      ]
    )
    #expect(
      try reports(observation) {
        try person("Ann").set("age", .int(1))
        try task.set("name", .string("y"))
      } == [PathChange(properties: [name, owner], paths: [0, 1])]
    )
    #expect(try reports(observation) { try task.delete() } == [PathChange(isDeleted: true)])
  }

  @Test func settingTheValueThatAPropertyHasIsAChange() throws {
    let task = try task(0)
    let observation = try task.observe(["owner", "name"])
    let (name, owner) = (try task.key("name"), try task.key("owner"))
    let tasks = try realm.objects("Task").observe(["owner", "name"])
    let other = try TestRealm(path: path)
    let elsewhere = try other.objects("Task").observe(["owner", "name"])
    try other.refresh()
    _ = elsewhere.take()
    for (set, expected) in [
      ({ try task.set("name", try task.get("name")) }, PathChange(properties: [name], paths: [1])),
      ({ try task.set("owner", try task.get("owner")) }, PathChange(properties: [owner], paths: [0])),
    ] as [(() throws -> Void, PathChange)] {
      #expect(try reports(observation, set) == [expected])
      #expect(tasks.take().last == Change(modifications: [0]))
      try other.refresh()
      #expect(elsewhere.take() == [Change(modifications: [0])])
    }
  }

  @Test func aPathThatEndsWithALinkMeansTheLink() throws {
    let task = try task(0)
    let observation = try task.observe(["owner"])
    #expect(try reports(observation) { try person("Bob").set("age", .int(9)) } == [])
    let key = try task.key("owner")
    #expect(
      try reports(observation) { try person("Bob").delete() } == [PathChange(properties: [key], paths: [0])]
    )
  }

  @Test func aPathGoesThroughLists() throws {
    let ann = try person("Ann")
    let observation = try ann.observe(["tasks.owner.age"])
    let expected = [PathChange(properties: [try ann.key("tasks")], paths: [0])]
    #expect(try reports(observation) { try person("Bob").set("age", .int(1)) } == expected)
    #expect(try reports(observation) { try task(3).set("owner", try person("Bob").link) } == expected)
    #expect(try reports(observation) { try task(3).set("name", .string("x")) } == [])
    #expect(try reports(observation) { try task(3).delete() } == expected)
    #expect(try reports(observation) { try ann.list("tasks").move(0, 1) } == expected)
  }

  @Test func aPathFollowsLinksBackwards() throws {
    let bob = try person("Bob")
    let observation = try bob.observe(["@links.Task.owner", "@links.Task.owner.name"])
    let (both, second) = ([PathChange(paths: [0, 1])], [PathChange(paths: [1])])
    #expect(try reports(observation) { try task(0).set("name", .string("x")) } == second)
    #expect(try reports(observation) { try task(3).set("owner", bob.link) } == both)
    #expect(try reports(observation) { try task(3).set("name", .string("x")) } == second)
    #expect(try reports(observation) { try task(3).set("owner", .null) } == both)
    #expect(try reports(observation) { try task(3).set("name", .string("y")) } == [])
    #expect(try reports(observation) { try task(0).delete() } == both)
    #expect(try reports(observation) { try bob.set("age", .int(2)) } == [])
  }

  @Test func oldValuesComeWithTheChangesOfOthers() throws {
    let task = try task(1)
    let observation = try task.observe([])
    #expect(
      try reports(observation) { try task.set("progress", .int(5)) } == [
        PathChange(properties: [try task.key("progress")])
      ]
    )
    let other = try TestRealm(path: path)
    func writeElsewhere(_ values: [String: Cell]) throws {
      let task = try #require(try other.find("Task", .int(1)))
      try other.write { for (name, value) in values { try task.set(name, value) } }
    }
    try writeElsewhere(["progress": .int(6), "owner": .null])
    try writeElsewhere(["progress": .int(7), "note": .string("n")])
    try realm.refresh()
    let change = try #require(observation.take().first)
    let oldValues = try #require(change.oldValues)
    #expect(
      change.properties == (try ["progress", "note", "owner"].map { try task.key($0) })
    )
    #expect(oldValues == [.int(5), .null, try person("Bob").link])
    // A write transaction advances as well.
    try writeElsewhere(["progress": .int(8)])
    try realm.beginWrite()
    #expect(observation.take().map(\.oldValues) == [[.int(7)]])
    try realm.cancel()
  }

  @Test func unknownPropertiesAreRefused() throws {
    let task = try task(0)
    let missing = "Invalid property name: property"
    for (path, message) in [
      ("nothing", "\(missing) 'nothing' not found in object of type 'Task'"),
      ("owner.nothing", "\(missing) 'nothing' not found in object of type 'Person'"),
      ("name.x", "\(missing) 'x' not found in object of type 'Task'"),
      ("@links.Task.name", "\(missing) 'name' not found in object of type 'Task'"),
      ("", "\(missing) '' not found in object of type 'Task'"),
    ] {
      let text = expectFailure(.FLX_STATUS_NO_SUCH_PROPERTY) { _ = try task.observe([path]) }
      #expect(text == message)
    }
    expectFailure(.FLX_STATUS_NO_SUCH_CLASS) { _ = try task.observe(["@links.Nothing.owner"]) }
    expectFailure(.FLX_STATUS_NO_SUCH_PROPERTY) { _ = try realm.objects("Task").observe(["x"]) }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try task.list("tags").observe(["name"]) }
  }

  // MARK: Results and lists

  @Test func resultsReportModificationsOnTheirPathsOnly() throws {
    let observation = try realm.objects("Task").filter("progress < 10").observe(["name", "owner.age"])
    #expect(try reports(observation) { try task(2).set("progress", .int(3)) } == [])
    #expect(
      try reports(observation) { try task(2).set("name", .string("x")) } == [Change(modifications: [2])]
    )
    #expect(
      try reports(observation) { try person("Bob").set("age", .int(1)) } == [Change(modifications: [0, 1])]
    )
    #expect(
      try reports(observation) {
        try task(1).set("progress", .int(20))
        try person("Bob").set("age", .int(2))
        try realm.create("Task", .int(9))
      } == [Change(deletions: [1], insertions: [3], modifications: [0])]
    )
  }

  @Test func listsReportModificationsOnTheirPathsOnly() throws {
    let observation = try person("Ann").list("tasks").observe(["owner.age"])
    #expect(try reports(observation) { try task(2).set("name", .string("x")) } == [])
    #expect(
      try reports(observation) { try person("Bob").set("age", .int(1)) } == [Change(modifications: [0, 1])]
    )
    #expect(try reports(observation) { try task(0).delete() } == [Change(deletions: [0])])
  }

  @Test func withoutPathsObjectsUpToFourLinksAwayCount() throws {
    // Bob → Ann, and six more, each the friend of the one before.
    try realm.write {
      var friend = try person("Bob")
      for name in ["C", "D", "E", "F", "G", "H"] {
        friend = try realm.create("Person", .string(name), ["friend": friend.link])
      }
    }
    let people = try realm.objects("Person").observe()
    // Ann, Bob, C, D, E, F, G, H: from Ann, the fourth link back leads to E.
    #expect(
      try reports(people) { try person("Ann").set("age", .int(1)) } == [
        Change(modifications: [0, 1, 2, 3, 4])
      ]
    )
    let tasks = try realm.objects("Task").sort("_id").observe()
    #expect(
      try reports(tasks) { try person("Ann").set("age", .int(2)) } == [Change(modifications: [0, 1])]
    )
    // A path of its own excludes them.
    let ages = try realm.objects("Person").observe(["age"])
    #expect(try reports(ages) { try person("Ann").set("age", .int(3)) } == [Change(modifications: [0])])
  }

  @Test func manyModifiedTargetsAreFoundAtOnce() throws {
    try realm.write {
      for id in 100..<600 {
        let owner = try realm.create("Person", .string("\(id)"))
        if id % 100 == 0 { try realm.create("Task", .int(Int64(id)), ["owner": owner.link]) }
      }
    }
    let tasks = try realm.objects("Task").observe(["owner.age"])
    let found = try reports(tasks) {
      for id in 100..<600 where id != 300 { try person("\(id)").set("age", .int(1)) }
    }
    #expect(found == [Change(modifications: [4, 5, 7, 8])])
  }

  @Test func whatIsNotWrittenHereIsNotLost() throws {
    // Links that were changed by others are followed backwards as well.
    let bob = try person("Bob")
    let observation = try bob.observe(["@links.Task.owner.name"])
    let other = try TestRealm(path: path)
    try other.write {
      try #require(try other.find("Task", .int(3))).set(
        "owner",
        try #require(try other.find("Person", .string("Bob"))).link
      )
    }
    try realm.refresh()
    #expect(observation.take().map(\.paths) == [[0]])
    try other.write { try #require(try other.find("Task", .int(3))).set("name", .string("x")) }
    try realm.refresh()
    #expect(observation.take().map(\.paths) == [[0]])
  }
}
