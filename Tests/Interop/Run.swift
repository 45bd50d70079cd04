// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport
import Foundation

/// Rounds of concurrent changes with disconnects, and the comparison of what all have after them.
final class Run {
  private let options: Options
  private let server: SyncServer
  private let workload: Workload
  private let participants: [any Participant]
  private var generator: SeededGenerator
  private var suspended: Set<String> = []
  private var counts: [String: Int] = [:]

  init(_ options: Options) throws {
    self.options = options
    generator = SeededGenerator(seed: options.seed)
    workload = Workload(
      allClasses: options.peer == nil || options.peerKnowsAll,
      isComplete: options.peer == nil || options.leavesNothingOut
    )
    server = try SyncServer(executable: options.server, app: options.app, folder: options.folder)
    var participants: [any Participant] = [
      try Run.flexSync("throughC", options.driverC, increments: true, server, options),
      try Run.flexSync("throughSwift", options.driverSwift, increments: false, server, options),
    ]
    if let peer = options.peer {
      participants.append(
        try PeerParticipant(
          "peer",
          executable: peer,
          increments: options.peerKnowsAll,
          server: server,
          folder: options.folder
        )
      )
    } else {
      participants.append(try Run.flexSync("third", options.driverC, increments: true, server, options))
    }
    self.participants = participants
  }

  private static func flexSync(
    _ name: String,
    _ driver: String,
    increments: Bool,
    _ server: SyncServer,
    _ options: Options
  ) throws -> FlexSyncParticipant {
    try FlexSyncParticipant(
      name,
      executable: driver,
      increments: increments,
      server: server,
      folder: options.folder
    )
  }

  /// Plays all rounds and tells what happened in them.
  func play() throws -> String {
    for participant in participants {
      try participant.start()
      try participant.subscribe(to: workload.classNames)
    }
    var untilComparison = 1
    for round in 1...options.rounds {
      do {
        try playRound()
        untilComparison -= 1
        guard untilComparison == 0 || round == options.rounds else { continue }
        try compare()
        untilComparison = 1 + generator.number(below: 10)
      } catch {
        throw InteropError("seed \(options.seed), round \(round): \(error)")
      }
    }
    try compareWithNewDevice()
    return counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  func end() {
    for participant in participants { participant.kill() }
    server.kill()
  }

  // MARK: Rounds

  private func playRound() throws {
    if generator.chance(2) {
      try server.restart()
      count("server kills")
    }
    for participant in participants { try disturb(participant) }
    let writers = participants.shuffled(using: &generator).filter { _ in generator.chance(80) }
    for writer in writers { try writer.begin() }
    // The transactions are open at the same time; what one of them changes, the others do not see.
    for _ in 0..<writers.count * (1 + generator.number(below: 8)) {
      let writer = generator.pick(writers)
      guard let change = try workload.change(by: writer, &generator) else { continue }
      try writer.apply(change)
      count("changes")
    }
    for writer in writers.shuffled(using: &generator) { try writer.commit() }
    if generator.chance(30) {
      Thread.sleep(forTimeInterval: Double(generator.number(below: 30)) / 1000)
    }
  }

  private func disturb(_ participant: any Participant) throws {
    if generator.chance(4) {
      participant.kill()
      try participant.start()
      suspended.remove(participant.name)
      count("client kills")
    }
    guard generator.chance(20) else { return }
    if suspended.remove(participant.name) != nil {
      try participant.resume()
    } else {
      try participant.suspend()
      suspended.insert(participant.name)
      count("disconnects")
    }
  }

  private func count(_ what: String) { counts[what, default: 0] += 1 }

  // MARK: Comparison

  private func compare() throws {
    for participant in participants where suspended.remove(participant.name) != nil {
      try participant.resume()
    }
    // First everything has to arrive at the server, then at all.
    for _ in 1...2 {
      for participant in participants { try participant.synchronize() }
    }
    let snapshots = try participants.map { ($0, try Snapshot(of: $0, classes: workload.classNames)) }
    for (participant, snapshot) in snapshots.dropFirst() {
      try requireEqual(snapshots[0], (participant, snapshot))
    }
    count("comparisons")
  }

  /// What the server has is what a device gets that comes last.
  private func compareWithNewDevice() throws {
    let device = try Run.flexSync("newDevice", options.driverC, increments: true, server, options)
    defer { device.kill() }
    try device.start()
    try device.subscribe(to: workload.classNames)
    try device.synchronize()
    let first = participants[0]
    try requireEqual(
      (first, try Snapshot(of: first, classes: workload.classNames)),
      (device, try Snapshot(of: device, classes: workload.classNames))
    )
  }

  private func requireEqual(_ left: (any Participant, Snapshot), _ right: (any Participant, Snapshot)) throws
  {
    guard let object = left.1.differences(from: right.1).first else { return }
    throw InteropError(
      """
      \(left.0.name) and \(right.0.name) are not equal at \(object):
        \(left.0.name): \(left.1.text(of: object))
        \(right.0.name): \(right.1.text(of: object))
      """
    )
  }
}
