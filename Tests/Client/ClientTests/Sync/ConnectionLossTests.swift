// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Connections that break at any byte: nothing is lost, nothing comes twice, and all devices end up equal.
@Suite struct ConnectionLossTests {
  @Test(arguments: 0..<4)
  func randomCutsLoseNothing(round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let server = try SyncServer()
    let proxy = try FlakyProxy(before: server)
    let first = try Device(url: proxy.url)
    let second = try Device(server)
    proxy.cut(after: (0..<12).map { _ in Int.random(in: 100...6000, using: &random) })
    proxy.cutAll()
    for device in [first, second] { _ = try device.setSubscriptions(["Task": "TRUEPREDICATE"]) }
    var expected: Set<String> = []
    for number in 0..<40 {
      let device = Bool.random(using: &random) ? first : second
      let name = "task \(number)"
      _ = try device.addTask(name, minutes: Int64(number))
      expected.insert(name)
      try first.session.reconnect()
      if number % 5 == 0 { pause(milliseconds: Int.random(in: 0...40, using: &random)) }
    }
    try settle([first, second], proxy)
    for device in [first, second] {
      #expect(try Set(device.taskNames) == expected, "seed \(seed)")
      #expect(try device.taskNames.count == expected.count, "seed \(seed)")
    }
    #expect(proxy.cuts > 0, "seed \(seed)")
  }

  @Test(arguments: 0..<3)
  func randomEditsAndCutsConverge(round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let server = try SyncServer()
    let proxy = try FlakyProxy(before: server)
    let devices = [try Device(url: proxy.url), try Device(url: proxy.url), try Device(server)]
    for device in devices {
      try device.subscribe(["Task": "progressMinutes < 100", "Team": "TRUEPREDICATE"])
    }
    let ids = (0..<6).map { _ in newObjectId() }
    proxy.cut(after: (0..<20).map { _ in Int.random(in: 200...4000, using: &random) })
    proxy.cutAll()
    for _ in 0..<120 {
      let device = devices.randomElement(using: &random) ?? devices[0]
      let id = ids.randomElement(using: &random) ?? ids[0]
      if Bool.random(using: &random) {
        try editTask(device, id, &random)
      } else {
        try editTeam(device, ids[0], &random)
      }
      if Int.random(in: 0..<4, using: &random) == 0 { try devices[0].session.reconnect() }
      if Int.random(in: 0..<4, using: &random) == 0 { try devices[1].session.reconnect() }
      if Int.random(in: 0..<20, using: &random) == 0 {
        device.close()
        try device.open()
      }
    }
    try settle(devices, proxy)
    let states = try devices.map { try state($0) }
    #expect(states[0] == states[1], "seed \(seed)")
    #expect(states[1] == states[2], "seed \(seed)")
  }

  /// One random change within one transaction, in which no other device's changes can arrive.
  private func editTask(_ device: Device, _ id: String, _ random: inout SeededGenerator) throws {
    try device.realm.beginWrite()
    if let task = try device.realm.find("Task", .objectId(id)) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: try attempt { flx_object_delete(task.handle, $0) }
      case 1...4: try task.set("progressMinutes", .int(Int64.random(in: 0..<90, using: &random)))
      case 5...7: try task.add(1, to: "progressMinutes")
      default: try task.set("taskName", .string("name \(UInt8.random(in: 0...255, using: &random))"))
      }
    } else {
      let values: [String: Cell] = ["taskName": .string("new"), "progressMinutes": .int(1)]
      try device.realm.create("Task", .objectId(id), values)
    }
    try device.realm.commit()
  }

  private func editTeam(_ device: Device, _ id: String, _ random: inout SeededGenerator) throws {
    try device.realm.beginWrite()
    let team =
      try device.realm.find("Team", .objectId(id)) ?? device.realm.create("Team", .objectId(id))
    let members = try team.list("members")
    let count = try members.count
    let name = Cell.string("member \(UInt8.random(in: 0...255, using: &random))")
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4: try members.insert(name, at: Int.random(in: 0...count, using: &random))
    case 5, 6: if count > 0 { try members.erase(Int.random(in: 0..<count, using: &random)) }
    case 7: if count > 0 { try members.set(Int.random(in: 0..<count, using: &random), name) }
    case 8: try members.clear()
    default: try attempt { flx_object_delete(team.handle, $0) }
    }
    try device.realm.commit()
  }

  /// Lets everything arrive.
  private func settle(_ devices: [Device], _ proxy: FlakyProxy) throws {
    proxy.cut(after: [])
    for _ in 1...2 {
      for device in devices {
        try device.session.reconnect()
        try device.upload()
      }
      for device in devices {
        try device.realm.latestSet.wait()
        try device.download()
      }
    }
  }

  /// Every object with its values.
  private func state(_ device: Device) throws -> [String] {
    try objects(of: "Task", device) { task in
      try ["_id", "taskName", "progressMinutes"].map { "\(try task.get($0))" }.joined(separator: " ")
    }
      + objects(of: "Team", device) { team in "\(try team.get("_id")) \(try team.list("members").cells)" }
  }

  private func objects(
    of className: String,
    _ device: Device,
    _ describe: (TestObject) throws -> String
  ) throws -> [String] {
    let results = try device.realm.objects(className)
    return try (0..<(try results.count)).map { try describe(results.object(at: $0)) }.sorted()
  }
}
