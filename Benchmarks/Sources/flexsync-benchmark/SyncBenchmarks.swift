// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncLoops
import Foundation

/// Bootstrap: a new device subscribes to everything that another device has uploaded.
func bootstrapBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let rows = makeTasks(options.isQuick ? 5000 : 50_000, from: 0)
  return try Server.run(options, in: folder) { server in
    let author = try Device(server, folder: folder.appending(path: "author"))
    try author.subscribeAndWait()
    try author.realm.insert(rows, perTransaction: 1000)
    try author.wait(.FLX_DIRECTION_UPLOAD)
    let samples = try measure(
      repetitions: 3,
      [
        Contender { repetition in
          try bootstrap(server, folder.appending(path: "reader-\(repetition)"), rows.count)
        },
        Contender { repetition in
          let raw = try RawFile(path: folder.appending(path: "raw-\(repetition).sqlite").path)
          let time = try seconds { try raw.insert(rows, perTransaction: rows.count) }
          try require("rows in the file of SQLite", raw.count(), rows.count)
          return time
        },
      ]
    )
    return [
      Figure(
        quantity: "bootstrap of \(rows.count) objects into a new file",
        unit: .rate(of: "objects"),
        flexSync: samples[0].perItem(rows.count),
        comparison: "raw insert, 1 transaction, synchronous=NORMAL",
        raw: samples[1].perItem(rows.count)
      )
    ]
  }
}

/// Measures the time from the commit of the subscription until all objects are visible. The device is already
/// connected.
private func bootstrap(_ server: Server, _ folder: URL, _ expected: Int) throws -> Double {
  let reader = try Device(server, folder: folder)
  try reader.wait(.FLX_DIRECTION_DOWNLOAD)
  try require("objects before the bootstrap", reader.realm.count(), 0)
  let time = try seconds { try reader.subscribeAndWait() }
  try require("objects after the bootstrap", reader.realm.count(), expected)
  return time
}

/// Latency: the time from the start of a write on one device until another device sees it.
func latencyBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let (warmUps, count) = (20, options.isQuick ? 100 : 300)
  let rows = makeTasks(warmUps + count, from: 0)
  return try Server.run(options, in: folder) { server in
    let writer = try Device(server, folder: folder.appending(path: "writer"))
    let observer = try Device(server, folder: folder.appending(path: "observer"))
    let raw = try RawCommits(in: folder)
    try writer.subscribeAndWait()
    try observer.subscribeAndWait()
    var latencies: [Double] = []
    var commits: [Double] = []
    for (index, row) in rows.enumerated() {
      let latency = try seconds {
        try writer.realm.insert([row], perTransaction: 1)
        try observer.waitFor(row)
      }
      let commit = try seconds { try raw.insert(row) }
      if index >= warmUps {
        latencies.append(latency)
        commits.append(commit)
      }
      // Gives the acknowledgements of one write time to finish before the next.
      usleep(2000)
    }
    try require("objects at the observer", observer.realm.count(), rows.count)
    return latencyFigures(Samples(latencies), Samples(commits))
  }
}

/// The commits that the same row needs without FlexSync: on the writer, durably on the server, and on the observer.
private struct RawCommits {
  let writer: RawFile
  let server: RawFile
  let observer: RawFile

  init(in folder: URL) throws {
    writer = try RawFile(path: folder.appending(path: "raw-writer.sqlite").path)
    server = try RawFile(path: folder.appending(path: "raw-server.sqlite").path, isDurable: true)
    observer = try RawFile(path: folder.appending(path: "raw-observer.sqlite").path)
  }

  func insert(_ row: task_row_t) throws {
    for file in [writer, server, observer] { try file.insert([row], perTransaction: 1) }
  }
}

private func latencyFigures(_ latencies: Samples, _ commits: Samples) -> [Figure] {
  [("p50", 0.5), ("p99", 0.99)].map { name, fraction in
    Figure(
      quantity: "write until visible on another device, \(name)",
      unit: .milliseconds,
      flexSync: latencies,
      comparison: "3 raw commits, 1 of them synchronous=FULL, \(name)",
      raw: commits,
      statistic: { $0.percentile(fraction) }
    )
  }
}

/// Upload: many small transactions, written offline, reach the server after a reconnect.
func uploadBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let count = options.isQuick ? 500 : 2000
  let repetitions = 3
  return try Server.run(options, in: folder) { server in
    let device = try Device(server, folder: folder.appending(path: "device"))
    let raw = try RawFile(path: folder.appending(path: "raw.sqlite").path, isDurable: true)
    try device.subscribeAndWait()
    let batches = (0...repetitions).map { makeTasks(count, from: $0 * count) }
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { batch in
          device.suspend()
          try device.realm.insert(batches[batch], perTransaction: 1)
          return try seconds {
            device.resume()
            try device.wait(.FLX_DIRECTION_UPLOAD)
          }
        },
        Contender { batch in try seconds { try raw.insert(batches[batch], perTransaction: 1) } },
      ]
    )
    let witness = try Device(server, folder: folder.appending(path: "witness"))
    try witness.subscribeAndWait()
    try require("objects on the server", witness.realm.count(), count * batches.count)
    return [
      Figure(
        quantity: "upload of \(count) transactions of 1 object, with connecting",
        unit: .rate(of: "transactions"),
        flexSync: samples[0].perItem(count),
        comparison: "raw commits of 1 row, synchronous=FULL",
        raw: samples[1].perItem(count)
      )
    ]
  }
}
