// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops
import Foundation

/// Fairness: what other clients notice while some clients of one app put a heavy load on the server.
func fairnessBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let size = options.isQuick ? FairnessSize.quick : .full
  let other = "tasktracker-other"
  return try Server.run(options, in: folder, otherApp: other) { server in
    let generator = try LoadGenerator(server)
    let absent = (0..<size.returnCount).map { LoadClient(assignee: "absent-\($0)", seesAll: true) }
    try generator.connect(absent)
    try generator.drop(absent)
    try fill(generator, size)
    let probes = try FairnessProbes(server, server.serving(other), folder)
    let quiet = try probes.measure { try generator.turn(seconds: size.seconds) }
    var figures: [Figure] = []
    for clientCount in [1, 20] {
      let samples = try probes.measure { try searchForMuch(generator, clientCount, size) }
      let clients = clientCount == 1 ? "1 client's" : "\(clientCount) clients'"
      let load = "\(clients) \(size.conditionCount) conditions on \(size.objectCount) objects"
      figures += FairnessProbes.figures(samples, beside: quiet, load)
    }
    let samples = try probes.measure { try comeBack(generator, absent, size) }
    figures += FairnessProbes.figures(
      samples,
      beside: quiet,
      "clients back after \(size.versionCount) versions"
    )
    try probes.stop()
    return figures
  }
}

/// The size of the load.
private struct FairnessSize {
  let objectCount: Int
  /// The number of times each object is written.
  let roundCount = 2
  let conditionCount: Int
  /// The number of clients that return after all versions have been made, one after another.
  let returnCount: Int
  /// The maximum duration of one load, in seconds.
  let seconds: Double

  static let full = FairnessSize(objectCount: 100_000, conditionCount: 5000, returnCount: 5, seconds: 30)
  static let quick = FairnessSize(objectCount: 10_000, conditionCount: 1000, returnCount: 2, seconds: 3)

  var versionCount: Int { objectCount * roundCount }
}

/// The probes that measure the server with and without load.
private struct FairnessProbes {
  private let probes: [(name: String, probe: Probe)]

  init(_ server: Server, _ other: Server, _ folder: URL) throws {
    let (same, different) = (folder.appending(path: "same"), folder.appending(path: "other"))
    probes = [
      ("GET location of another app", try .location(other)),
      ("write until visible, another app", try .writeUntilVisible(other, different, firstRow: 0)),
      ("write until visible, the same app", try .writeUntilVisible(server, same, firstRow: 10_000_000)),
    ]
  }

  /// Returns the samples taken while `load` runs.
  func measure(_ load: () throws -> Void) throws -> [(name: String, samples: Samples)] {
    let begin = ContinuousClock.now
    try load()
    let end = ContinuousClock.now
    return try probes.map { ($0.name, try $0.probe.samples(from: begin, to: end)) }
  }

  func stop() throws { for (_, probe) in probes { try probe.stop() } }

  static func figures(
    _ loaded: [(name: String, samples: Samples)],
    beside quiet: [(name: String, samples: Samples)],
    _ load: String
  ) -> [Figure] {
    zip(loaded, quiet).flatMap { loaded, quiet in
      [("p99", 0.99), ("longest", 1)].map { name, fraction in
        Figure(
          quantity: "\(loaded.name), during \(load), \(name)",
          unit: .milliseconds,
          flexSync: loaded.samples,
          comparison: "the same without load, \(name)",
          raw: quiet.samples,
          statistic: { $0.percentile(fraction) }
        )
      }
    }
  }
}

/// Creates objects, then makes further versions of them.
private func fill(_ generator: LoadGenerator, _ size: FairnessSize) throws {
  let writers = (0..<10).map { LoadClient(assignee: "writer-\($0)") }
  try generator.connect(writers)
  let share = size.objectCount / writers.count
  for round in 0..<size.roundCount {
    for (number, writer) in writers.enumerated() {
      var rows = makeTasks(share, from: number * share)
      for index in rows.indices { rows[index].progress_minutes += Int64(round) }
      writer.prepare(rows[...])
    }
    try generator.upload(writers, window: 32)
  }
  try generator.drop(writers)
}

/// Clients subscribe with many conditions that no index can serve and that no object matches.
private func searchForMuch(_ generator: LoadGenerator, _ clientCount: Int, _ size: FairnessSize) throws {
  let clients = (0..<clientCount).map { client in
    let conditions = (0..<size.conditionCount).map { #"taskName CONTAINS[c] "xy\#(client)z\#($0)""# }
    return LoadClient(assignee: "search-\(client)", query: "(\(conditions.joined(separator: " OR ")))")
  }
  for client in clients { try generator.begin(client) }
  try generator.turn(seconds: size.seconds) {
    try clients.allSatisfy { try $0.hasConnected && $0.phase == .ready }
  }
  try generator.drop(clients)
}

/// Clients that were offline catch up on what they missed, one after another.
private func comeBack(_ generator: LoadGenerator, _ clients: [LoadClient], _ size: FairnessSize) throws {
  for client in clients {
    let expected = client.receivedCount + size.versionCount
    try generator.connect([client])
    try generator.wait([client]) { $0.receivedCount >= expected }
    try generator.drop([client])
  }
}
