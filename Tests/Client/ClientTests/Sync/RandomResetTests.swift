// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Devices that write at random while their server goes back to copies of its data again and again.
@Suite struct RandomResetTests {
  private static let teamID = "65d000000000000000000001"

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func devicesEndEqualHoweverOftenTheServerIsRestored(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let server = try SyncServer()
    let modes: [flx_client_reset_mode_t] = [
      .FLX_CLIENT_RESET_RECOVER_UNSYNCED, .FLX_CLIENT_RESET_DISCARD_UNSYNCED,
      .FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED,
    ]
    let devices = try modes.map { mode in
      let device = try Device(server)
      device.close()
      try device.open { $0.client_reset_mode = mode }
      try device.subscribe(["Task": "TRUEPREDICATE", "Team": "TRUEPREDICATE"])
      return device
    }
    try devices[0].realm.write { try devices[0].realm.create("Team", .objectId(Self.teamID)) }
    try settle(devices)
    for _ in 0..<4 {
      try write(devices, &random)
      try settle(devices)
      for device in devices { try device.session.suspend() }
      try server.backUp()
      for device in devices { try device.session.resume() }
      try write(devices, &random)
      if random.next() % 2 == 0 { try settle(devices) }
      for device in devices { try device.session.suspend() }
      try write(devices, &random)
      try server.restore()
      for device in devices { try device.session.resume() }
      try write(devices, &random)
    }
    try settle(devices)
    for device in devices[1...] {
      #expect(try state(device) == state(devices[0]), "seed \(seed)")
      #expect(try device.session.state == .FLX_SESSION_ACTIVE, "seed \(seed)")
    }
    // What is uploaded now is new to the server.
    _ = try devices[0].addTask("the end")
    try settle(devices)
    for device in devices { #expect(try device.taskNames.contains("the end"), "seed \(seed)") }
  }

  private func write(_ devices: [Device], _ random: inout SeededGenerator) throws {
    for device in devices {
      for _ in 0..<Int.random(in: 0...3, using: &random) { try write(device, &random) }
    }
  }

  /// Looks for what it changes inside of the transaction, whose beginning may bring what was downloaded meanwhile.
  private func write(_ device: Device, _ random: inout SeededGenerator) throws {
    try device.realm.refresh()
    let ids = try device.realm.objects("Task").values("_id")
    switch Int.random(in: 0...5, using: &random) {
    case 0, 1: _ = try device.addTask("task \(random.next() % 100)")
    case 2:
      guard case .objectId(let id)? = ids.randomElement(using: &random) else { return }
      let name = "renamed \(random.next() % 100)"
      try device.realm.write { try device.realm.find("Task", .objectId(id))?.set("taskName", .string(name)) }
    case 3:
      guard case .objectId(let id)? = ids.randomElement(using: &random) else { return }
      try device.realm.write {
        guard let task = try device.realm.find("Task", .objectId(id)) else { return }
        try attempt { flx_object_delete(task.handle, $0) }
      }
    default: try writeList(device, &random)
    }
  }

  private func writeList(_ device: Device, _ random: inout SeededGenerator) throws {
    guard let team = try device.realm.find("Team", .objectId(Self.teamID)) else { return }
    let members = try team.list("members")
    try device.realm.write {
      let count = try members.count
      let index = Int.random(in: 0...count, using: &random)
      if index < count, random.next() % 2 == 0 {
        try members.erase(index)
      } else {
        try members.insert(.string("\(random.next() % 1000)"), at: index)
      }
    }
  }

  /// Waits until every device has what all the others have.
  private func settle(_ devices: [Device]) throws {
    for device in devices { try device.upload() }
    for device in devices { try device.download() }
  }

  private func state(_ device: Device) throws -> [String] {
    let tasks = try device.realm.objects("Task")
    let texts = try zip(tasks.values("_id"), tasks.values("taskName")).map { "\($0): \($1)" }.sorted()
    return texts + [try "\(device.team(Self.teamID).list("members").cells)"]
  }
}
