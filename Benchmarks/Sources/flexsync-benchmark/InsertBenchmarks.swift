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

  var isBulk: Bool { perTransaction == count }
}

private func inserts(_ insertion: Insertion, _ options: Options, in folder: URL) throws
  -> (times: [Figure], sizes: [Figure])
{
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return try Server.run(options, in: folder) { server in
    let raw = folder.appending(path: "raw.sqlite").path
    let local = folder.appending(path: "local.flexsync").path
    let (samples, synced) = try insert(insertion, options, raw, local, server, folder)
    let sizes = try sizeFigures(
      insertion.count * (options.repetitions + 1),
      raw: raw,
      local: local,
      synced: synced
    )
    return (timeFigures(insertion, samples), sizes)
  }
}

/// Inserts the same rows into each kind of file, of which each way of inserting has its own: keys are cheapest to insert
/// behind all others. Returns the times, and the path of the synced file. All files are closed on return.
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
  let device = try makeDevice("device", server, folder)
  let batches = (0...options.repetitions).map { makeTasks(insertion.count, from: $0 * insertion.count) }
  // The batch interface is for many objects at once.
  let columns = insertion.isBulk ? batches.map(TaskColumns.init) : []
  let batchDevice = try makeDevice("batch-device", server, folder)
  let byColumns = try insertion.isBulk ? [OpenRealm(path: localPath + "-batches"), batchDevice.realm] : []
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
    ] + byColumns.map { realm in Contender { batch in try seconds { try realm.insert(columns[batch]) } } }
  )
  let expected = insertion.count * batches.count
  try require("rows in the file of SQLite", raw.count(), expected)
  for realm in [local, device.realm] + byColumns {
    try require("objects in a realm", realm.count(), expected)
  }
  return (samples.map { $0.perItem(insertion.count) }, device.realm.path)
}

/// Opens a synced realm with a subscription, without which the class is not writable. It waits for the server, as the
/// writes do.
private func makeDevice(_ name: String, _ server: Server, _ folder: URL) throws -> Device {
  let device = try Device(server, folder: folder.appending(path: name), startsSuspended: true)
  _ = try device.subscribe()
  return device
}

private func timeFigures(_ insertion: Insertion, _ samples: [Samples]) -> [Figure] {
  let names = [
    "local realm", "synced realm (change capture)", "local realm, batch interface",
    "synced realm (change capture), batch interface",
  ]
  return zip(names, samples.dropFirst()).map { name, sample in
    Figure(
      quantity: "insert, \(name), \(insertion.name)",
      unit: .microseconds(per: "object"),
      flexSync: sample,
      comparison: "raw insert, synchronous=NORMAL",
      raw: samples[0]
    )
  }
}

/// - Parameter count: The number of rows in each file.
private func sizeFigures(
  _ count: Int,
  raw: String,
  local: String,
  synced: String
) throws -> [Figure] {
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
