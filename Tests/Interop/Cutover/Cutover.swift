// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Foundation

/// A device that was filled at one server goes on at another, to which users and objects have been moved: after one login
/// everything that it had not uploaded is there, also when the connection is cut in between. See "Moving" in ../README.md.
final class Cutover {
  private let make: ClientMake
  private let observing: ClientMake
  private let options: Options
  private let folder: String
  private let work = OfflineWork()

  /// - Parameter observing: what the device is made of that shows what a server has.
  init(with make: ClientMake, observing: ClientMake, _ options: Options) {
    self.make = make
    self.observing = observing
    self.options = options
    folder = "\(options.folder)/cutover-\(make.name)"
  }

  /// Tells how often the connection was cut, each time with another copy of the device.
  func play() throws -> Int {
    let move = Move(options, from: "\(folder)/old", to: "\(folder)/new")
    try fill(move)
    try move.migrateAndImport()
    try arrive(cutting: nil, move, in: "\(folder)/uncut")
    var count = 0
    for sender in Cut.Sender.allCases {
      var number = 1
      while try arrive(cutting: Cut(after: number, from: sender), move, in: "\(folder)/\(sender)-\(number)") {
        number += 1
      }
      count += number - 1
    }
    return count
  }

  // MARK: At the old server

  /// Fills the file of the device, and stops the server before the device has uploaded everything.
  private func fill(_ move: Move) throws {
    try FileManager.default.createDirectory(atPath: move.old, withIntermediateDirectories: true)
    let server = try SyncServer(executable: options.server, app: options.app, folder: move.old)
    defer { server.kill() }
    let device = try make.movingDevice(server: server, folder: move.old)
    defer { device.kill() }
    try device.start()
    let owner = try move.identifier(of: "device@example.com")
    for version in 1...OfflineWork.versionCount {
      try expect("version \(version) complete", from: device.play(work.subscription(version)))
    }
    try write(work.uploaded(owner), with: device)
    try device.synchronize()
    move.export(try Snapshot.objects(of: device, classes: OfflineWork.classes))
    try device.suspend()
    try write(work.notUploaded(owner), with: device)
    let version = OfflineWork.versionCount + 1
    try expect("committed version \(version)", from: device.play(work.pendingSubscription))

    try add(work.taskOfOtherDevice, from: "otherDevice", of: "device", server, move)
    try add(work.taskOfOtherUser, from: "neighbour", of: "neighbour", server, move)
    try move.exportUsers()
  }

  /// Lets another device, or one of another user, add a task.
  private func add(
    _ change: (String) -> JSON,
    from name: String,
    of user: String,
    _ server: SyncServer,
    _ move: Move
  ) throws {
    let device = try observing.participant(name, user: user, server: server, folder: move.old)
    defer { device.kill() }
    try device.start()
    try device.subscribe(to: ["Task"])
    let known = try device.objects(of: "Task")
    try write([change(move.identifier(of: "\(user)@example.com"))], with: device)
    try device.synchronize()
    move.export(try Snapshot.objects(of: device, classes: ["Task"]).filter { !known.contains($0.object) })
  }

  private func write(_ changes: [JSON], with device: any Participant) throws {
    try expect("wrote", from: device.play(["do": "write", "changes": .array(changes)]))
  }

  private func expect(_ line: String, from lines: [String]) throws {
    guard lines == [line] else {
      throw InteropError(
        "\(make.name): '\(line)' was expected, and it told '\(lines.joined(separator: " / "))'"
      )
    }
  }

  // MARK: At the new server

  /// Lets a copy of the device come to a copy of the new server.
  ///
  /// - Returns: whether the connection was cut.
  @discardableResult
  private func arrive(cutting cut: Cut?, _ move: Move, in folder: String) throws -> Bool {
    do {
      try move.copy(device: "device", to: folder)
      let server = try SyncServer(executable: options.server, app: options.app, folder: folder)
      defer { server.kill() }
      let proxy = try CuttingProxy(to: server, cut)
      let device = try make.movingDevice(server: proxy, folder: folder)
      defer { device.kill() }
      try device.tryWithLoginOfBefore()
      let files = try RealmFiles.paths(in: move.old)
      try device.goOn()
      try synchronize(device)
      try requireEverything(device, "the device")
      guard try RealmFiles.paths(in: folder) == files else {
        throw InteropError("the device uses other files: \(try RealmFiles.paths(in: folder)), not \(files)")
      }
      try requireAtServer(server, folder)
      try FileManager.default.removeItem(atPath: folder)
      return proxy.hasCut
    } catch {
      let when = cut.map { ", with the connection cut after message \($0.number) of the \($0.sender)" } ?? ""
      throw InteropError("\(make.name)\(when) (\(folder)): \(error)")
    }
  }

  /// Waits for the subscription set of which the old server was not told. A client asks whether it has everything before it
  /// sends such a set (protocol §3.2), so the first answer may come before the set's bootstrap.
  private func synchronize(_ device: any Participant) throws {
    for _ in 0..<20 {
      try device.synchronize()
      let count = try Snapshot.objects(of: device, classes: OfflineWork.classes).count
      if count >= work.outcome.count { return }
    }
  }

  /// A new device of the same user sees what the server has.
  private func requireAtServer(_ server: SyncServer, _ folder: String) throws {
    let observer = try observing.participant("observer", user: "device", server: server, folder: folder)
    defer { observer.kill() }
    try observer.start()
    try observer.subscribe(to: OfflineWork.classes)
    try requireEverything(observer, "the new server")
  }

  private func requireEverything(_ participant: any Participant, _ place: String) throws {
    let found = try Snapshot.objects(of: participant, classes: OfflineWork.classes).map(work.essence)
    guard found.sorted() == work.outcome else {
      throw InteropError(
        "\(place) has\n  \(found.sorted().joined(separator: "\n  "))\nand should have\n  "
          + work.outcome.joined(separator: "\n  ")
      )
    }
  }
}

/// The files of realms below a folder, by their paths within it.
enum RealmFiles {
  static func paths(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/device")
      .filter { $0.hasSuffix(".realm") }.sorted()
  }
}
