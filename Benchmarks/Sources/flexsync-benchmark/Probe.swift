// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops
import Foundation
import Synchronization

/// Repeats a measurement on a thread of its own while other clients load the server.
///
/// Measurements are due at fixed times. A measurement that starts late because the previous one took long counts
/// from the time it was due; otherwise a server that stalls for seconds would spoil only a single sample.
final class Probe: Sendable {
  private struct State {
    var samples: [(due: ContinuousClock.Instant, seconds: Double)] = []
    var failure: String?
    var isReady = false
    var isStopped = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// - Parameter prepare: Creates the measurement, once. Both run on the probe's thread.
  init(everyMilliseconds interval: Int64, prepare: @escaping @Sendable () throws -> () throws -> Void) throws
  {
    let thread = Thread { [self] in
      do {
        try run(.milliseconds(interval), prepare())
      } catch {
        state.withLock { $0.failure = "\(error)" }
      }
      state.withLock { $0.hasEnded = true }
    }
    thread.stackSize = 4 << 20
    thread.start()
    try wait { $0.isReady }
  }

  private func run(_ interval: Duration, _ measureOnce: () throws -> Void) throws {
    try measureOnce()
    state.withLock { $0.isReady = true }
    var due = ContinuousClock.now
    while !state.withLock({ $0.isStopped }) {
      try measureOnce()
      let time = due.duration(to: .now)
      state.withLock { $0.samples.append((due, time.inSeconds)) }
      due += interval
      let rest = ContinuousClock.now.duration(to: due).inSeconds
      if rest > 0 { usleep(UInt32(rest * 1e6)) }
    }
  }

  /// Returns the samples that were due between two times, and waits until they have been measured.
  func samples(from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant) throws -> Samples {
    try wait { ($0.samples.last?.due ?? begin) >= end }
    return state.withLock { state in
      Samples(state.samples.filter { $0.due >= begin && $0.due < end }.map(\.seconds))
    }
  }

  func stop() throws {
    state.withLock { $0.isStopped = true }
    try wait { $0.hasEnded }
  }

  private func wait(_ condition: (borrowing State) -> Bool) throws {
    while true {
      let (isMet, failure, hasEnded) = state.withLock { (condition($0), $0.failure, $0.hasEnded) }
      if let failure { throw BenchmarkError(failure) }
      if isMet || hasEnded { return }
      usleep(2000)
    }
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension Probe {
  /// Measures the time from the start of a write on one device until another device of the app sees it.
  ///
  /// - Parameter firstRow: The number of the first row. Two probes must not use the same rows.
  static func writeUntilVisible(_ server: Server, _ folder: URL, firstRow: Int) throws -> Probe {
    try Probe(everyMilliseconds: 50) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let query = #"assignee == "probe""#
      let writer = try Device(server, folder: folder.appending(path: "writer"))
      let observer = try Device(server, folder: folder.appending(path: "observer"))
      try writer.subscribeAndWait(query)
      try observer.subscribeAndWait(query)
      var rowCount = 0
      return {
        let row = probeRow(firstRow + rowCount)
        rowCount += 1
        try writer.realm.insert([row], perTransaction: 1)
        try observer.waitFor(row)
      }
    }
  }

  /// Measures the time from the start of a write until the server has acknowledged it.
  static func acknowledgement(_ server: Server, _ folder: URL, firstRow: Int) throws -> Probe {
    try Probe(everyMilliseconds: 50) {
      let writer = try Device(server, folder: folder)
      try writer.subscribeAndWait(#"assignee == "probe""#)
      var rowCount = 0
      return {
        try writer.realm.insert([probeRow(firstRow + rowCount)], perTransaction: 1)
        rowCount += 1
        try writer.wait(.FLX_DIRECTION_UPLOAD)
      }
    }
  }

  /// Measures the time of `GET location`, including the connection setup.
  static func location(_ server: Server) throws -> Probe {
    try Probe(everyMilliseconds: 20) {
      let generator = try LoadGenerator(server)
      return { try require("the status of GET location", generator.answer("/location").status, 200) }
    }
  }
}

/// Returns a task that only probes see.
private func probeRow(_ number: Int) -> task_row_t {
  var row = makeTasks(1, from: number)[0]
  let assignee = Array("probe".utf8)
  withUnsafeMutableBytes(of: &row.assignee) { $0.copyBytes(from: assignee) }
  row.assignee_size = assignee.count
  return row
}
