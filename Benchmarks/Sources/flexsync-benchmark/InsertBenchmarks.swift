// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncLoops
import Foundation

/// Local inserts: the cost of a write compared with plain SQLite, both without sync and with changes captured for
/// sync.
func insertBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let bulk = try inserts(
    Insertion(name: "10,000 objects per transaction", count: 10_000, perTransaction: 10_000),
    options,
    in: folder.appending(path: "bulk")
  )
  let single = try inserts(
    Insertion(name: "1 object per transaction", count: options.isQuick ? 500 : 2000, perTransaction: 1),
    options,
    in: folder.appending(path: "single")
  )
  return bulk.times + single.times + bulk.sizes
}

/// One way to insert.
private struct Insertion {
  let name: String
  let count: Int
  let perTransaction: Int
}

private func inserts(_ insertion: Insertion, _ options: Options, in folder: URL) throws
  -> (times: [Figure], sizes: [Figure])
{
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return try Server.run(options, in: folder) { server in
    let raw = folder.appending(path: "raw.sqlite").path
    let local = folder.appending(path: "local.flexsync").path
    let (samples, synced) = try insert(insertion, options, raw, local, server, folder)
    let total = insertion.count * (options.repetitions + 1)
    return (
      timeFigures(insertion, samples), try sizeFigures(total, raw: raw, local: local, synced: synced)
    )
  }
}

/// Inserts into the three kinds of files. Returns the times, and the path of the synced file. All files are closed
/// on return.
private func insert(
  _ insertion: Insertion,
  _ options: Options,
  _ rawPath: String,
  _ localPath: String,
  _ server: Server,
  _ folder: URL
) throws -> (samples: [Samples], syncedPath: String) {
  let raw = try RawFile(path: rawPath)
  let local = try OpenRealm(path: localPath)
  // The class is not writable without a subscription, which waits for the server just as the writes do.
  let device = try Device(server, folder: folder.appending(path: "device"), startsSuspended: true)
  _ = try device.subscribe()
  let batches = (0...options.repetitions).map { makeTasks(insertion.count, from: $0 * insertion.count) }
  let samples = try measure(
    repetitions: options.repetitions,
    [
      Contender { batch in
        try seconds { try raw.insert(batches[batch], perTransaction: insertion.perTransaction) }
      },
      Contender { batch in
        try seconds { try local.insert(batches[batch], perTransaction: insertion.perTransaction) }
      },
      Contender { batch in
        try seconds { try device.realm.insert(batches[batch], perTransaction: insertion.perTransaction) }
      },
    ]
  )
  let expected = insertion.count * batches.count
  try require("rows in the file of SQLite", raw.count(), expected)
  try require("objects in the local realm", local.count(), expected)
  try require("objects in the synced realm", device.realm.count(), expected)
  return (samples.map { $0.perItem(insertion.count) }, device.realm.path)
}

private func timeFigures(_ insertion: Insertion, _ samples: [Samples]) -> [Figure] {
  let comparison = "raw insert, synchronous=NORMAL"
  return [
    Figure(
      quantity: "insert, local realm, \(insertion.name)",
      unit: .microseconds(per: "object"),
      flexSync: samples[1],
      comparison: comparison,
      raw: samples[0]
    ),
    Figure(
      quantity: "insert, synced realm (change capture), \(insertion.name)",
      unit: .microseconds(per: "object"),
      flexSync: samples[2],
      comparison: comparison,
      raw: samples[0]
    ),
  ]
}

private func sizeFigures(_ count: Int, raw: String, local: String, synced: String) throws -> [Figure] {
  let rawSize = Samples([Double(try databaseSize(raw))]).perItem(count)
  return try [("local realm", local), ("synced realm with changes to upload", synced)].map { name, path in
    Figure(
      quantity: "size on disk, \(name)",
      unit: .bytes(per: "object"),
      flexSync: Samples([Double(try databaseSize(path))]).perItem(count),
      comparison: "raw file",
      raw: rawSize
    )
  }
}
