// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@testable import FlexSyncCore

@Suite struct SyncTests {
  let server: SyncServer

  init() throws { server = try SyncServer() }

  // MARK: Bootstrap and steady state

  @Test func aNewFileCompletesItsEmptySet() throws {
    let device = try Device(server)
    let set = try device.realm.latestSet
    #expect(set.version == 0)
    try set.wait()
    #expect(set.state == .FLX_SUBSCRIPTION_COMPLETE)
  }

  // Feature 15
  @Test func whatOneDeviceWritesAnotherOneSees() throws {
    let (first, second) = (try Device(server), try Device(server))
    try first.subscribe(["Task": "TRUEPREDICATE"])
    try second.subscribe(["Task": "TRUEPREDICATE"])
    let id = try first.addTask("paint", assignee: "ada", minutes: 5)
    try second.expect("the task arrives") { try second.taskNames == ["paint"] }
    try second.set(id, "progressMinutes", .int(30))
    try first.expect("the change arrives") {
      try first.realm.find("Task", .objectId(id))?.get("progressMinutes") == .int(30)
    }
    try first.delete(id)
    try second.expect("the task goes") { try second.taskNames.isEmpty }
  }

  // Feature 80, 96
  @Test func aSubscriptionBringsWhatMatchesAndItsEndTakesItAway() throws {
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE"])
    for (name, minutes) in [("a", 5), ("b", 15), ("c", 25)] {
      _ = try author.addTask(name, minutes: Int64(minutes))
    }
    try author.upload()
    let reader = try Device(server)
    try reader.subscribe(["Task": "progressMinutes > 10"])
    try reader.realm.refresh()
    #expect(try reader.taskNames == ["b", "c"])
    try reader.subscribe(["Task": "progressMinutes > 20"])
    try reader.realm.refresh()
    #expect(try reader.taskNames == ["c"])
    try reader.subscribe([:])
    try reader.realm.refresh()
    #expect(try reader.taskNames.isEmpty)
  }

  // Feature 12
  @Test func twoSubscriptionsGiveTheUnion() throws {
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE"])
    for (name, minutes) in [("a", 5), ("b", 15), ("c", 25)] {
      _ = try author.addTask(name, assignee: name, minutes: Int64(minutes))
    }
    try author.upload()
    let reader = try Device(server)
    try reader.subscribe(["Task": "progressMinutes > 20", "Task": "assignee == 'a'"])
    try reader.realm.refresh()
    #expect(try reader.taskNames == ["a", "c"])
  }

  // Feature 14, 81
  @Test func anObjectEntersAndLeavesTheViewByItsData() throws {
    let (author, reader) = (try Device(server), try Device(server))
    try author.subscribe(["Task": "TRUEPREDICATE"])
    try reader.subscribe(["Task": "progressMinutes > 10"])
    let id = try author.addTask("paint", minutes: 5)
    try author.set(id, "progressMinutes", .int(20))
    try reader.expect("it enters") { try reader.taskNames == ["paint"] }
    try author.set(id, "progressMinutes", .int(1))
    try reader.expect("it leaves") { try reader.taskNames.isEmpty }
  }

  @Test func manyObjectsArriveInOneStep() throws {
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE"])
    try author.realm.write {
      for number in 0..<1000 {
        try author.realm.create(
          "Task",
          .objectId(newObjectId()),
          ["taskName": .string("task \(number) " + String(repeating: "x", count: 600))]
        )
      }
    }
    try author.upload(timeout: 60_000)
    let reader = try Device(server)
    try reader.subscribe(["Task": "TRUEPREDICATE"], timeout: 60_000)
    try reader.realm.refresh()
    #expect(try reader.realm.objects("Task").count == 1000)
  }

  @Test func linksAndListsArrive() throws {
    let (first, second) = (try Device(server), try Device(server))
    for device in [first, second] {
      try device.subscribe(["Task": "TRUEPREDICATE", "Team": "TRUEPREDICATE"])
    }
    let task = try first.addTask("paint")
    let teamID = newObjectId()
    try first.realm.write {
      let team = try first.realm.create("Team", .objectId(teamID), ["teamName": .string("builders")])
      let tasks = try team.list("tasks")
      try tasks.insert(try first.task(task).link, at: 0)
      for (index, name) in ["ada", "bob"].enumerated() {
        try team.list("members").insert(.string(name), at: index)
      }
    }
    try second.expect("the team arrives") { try second.realm.find("Team", .objectId(teamID)) != nil }
    let team = try second.team(teamID)
    #expect(try team.list("members").cells == [.string("ada"), .string("bob")])
    let linked = try #require(try second.realm.linked(try team.list("tasks").get(0), "Task"))
    #expect(try linked.get("taskName") == .string("paint"))
  }

  // MARK: Offline

  // Feature 22, 151
  @Test func whatIsWrittenOfflineArrivesLater() throws {
    let (first, second) = (try Device(server), try Device(server))
    for device in [first, second] { try device.subscribe(["Task": "TRUEPREDICATE"]) }
    let id = try first.addTask("paint")
    try second.expect("the task arrives") { try second.taskNames == ["paint"] }
    try first.session.suspend()
    try first.session.waitFor(.FLX_CONNECTION_DISCONNECTED)
    try first.set(id, "taskName", .string("paint the wall"))
    _ = try first.addTask("rest")
    _ = try second.addTask("sweep")
    try second.upload()
    #expect(try first.taskNames == ["paint the wall", "rest"])
    try first.session.resume()
    try first.upload()
    try first.download()
    try second.download()
    for device in [first, second] { #expect(try device.taskNames == ["paint the wall", "rest", "sweep"]) }
  }

  @Test func bothSidesOfAListAreKept() throws {
    let (first, second) = (try Device(server), try Device(server))
    for device in [first, second] { try device.subscribe(["Team": "TRUEPREDICATE"]) }
    let id = newObjectId()
    try first.realm.write {
      let team = try first.realm.create("Team", .objectId(id), ["teamName": .string("builders")])
      try team.list("members").insert(.string("ada"), at: 0)
    }
    try second.expect("the team arrives") { try second.realm.find("Team", .objectId(id)) != nil }
    for (device, name) in [(first, "bob"), (second, "eve")] {
      try device.session.suspend()
      let team = try device.team(id)
      try device.realm.write { try team.list("members").insert(.string(name), at: 1) }
    }
    for device in [first, second] {
      try device.session.resume()
      try device.upload()
    }
    var lists: [[Cell]] = []
    for device in [first, second] {
      try device.download()
      lists.append(try device.team(id).list("members").cells)
    }
    #expect(lists[0] == lists[1])
    #expect(Set(lists[0].map { "\($0)" }).count == 3)
  }

  @Test func aServerThatRestartsIsFoundAgain() throws {
    let (first, second) = (try Device(server), try Device(server))
    for device in [first, second] { try device.subscribe(["Task": "TRUEPREDICATE"]) }
    server.stop()
    try first.session.waitFor(.FLX_CONNECTION_DISCONNECTED)
    _ = try first.addTask("paint")
    try server.start()
    for device in [first, second] { try device.session.reconnect() }
    try second.expect("the task arrives") { try second.taskNames == ["paint"] }
  }

  // Feature 20, 22
  @Test func aProcessThatEndsGoesOnWhereItWas() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    let id = try device.addTask("paint")
    try device.upload()
    try device.session.suspend()
    try device.set(id, "progressMinutes", .int(7))
    _ = try device.setSubscriptions(["Task": "progressMinutes > 5"])
    try device.restart()
    #expect(try device.realm.latestSet.version == 2)
    try device.realm.latestSet.wait()
    try device.upload()
    let other = try Device(server)
    try other.subscribe(["Task": "TRUEPREDICATE"])
    try other.realm.refresh()
    #expect(try other.realm.find("Task", .objectId(id))?.get("progressMinutes") == .int(7))
  }

  @Test func closingARealmKeepsItsUploadsForTheNextOpening() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    for number in 1...20 {
      _ = try device.addTask("task \(number)")
      device.close()
      try device.open()
    }
    try device.upload()
    let other = try Device(server)
    try other.subscribe(["Task": "TRUEPREDICATE"])
    try other.realm.refresh()
    #expect(try other.taskNames.count == 20)
  }
}
