// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops
import Foundation

/// Load: many clients upload at once; each transaction is acknowledged once it is durable on the server.
func loadBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let scale = options.isQuick ? 1 : 5
  let loads = [
    Load(clientCount: 1, uploadCount: 400 * scale, window: 1),
    Load(clientCount: 50, uploadCount: 40 * scale, window: 1),
    Load(clientCount: 200, uploadCount: 10 * scale, window: 1),
    Load(clientCount: 50, uploadCount: 40 * scale, window: 8),
  ]
  return try Server.run(options, in: folder) { server in
    let generator = try LoadGenerator(server)
    let raw = try RawFile(path: folder.appending(path: "raw.sqlite").path, isDurable: true)
    var rowCount = 0
    let figures = try loads.map { try $0.figure(generator, raw, &rowCount) }
    let witness = try Device(server, folder: folder.appending(path: "witness"))
    try witness.subscribeAndWait()
    try require("objects on the server", witness.realm.count(), rowCount)
    return figures
  }
}

/// A number of uploading clients.
private struct Load {
  let clientCount: Int
  /// The number of uploads per client, each of a single transaction.
  let uploadCount: Int
  /// The maximum number of uploads that await acknowledgement.
  let window: Int
  private let repetitions = 5

  func figure(_ generator: LoadGenerator, _ raw: RawFile, _ rowCount: inout Int) throws -> Figure {
    let clients = (0..<clientCount).map { LoadClient(assignee: "load-\($0)") }
    try generator.connect(clients)
    let total = clientCount * uploadCount
    let batches = (0...repetitions).map { makeTasks(total, from: rowCount + $0 * total) }
    rowCount += batches.count * total
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { batch in
          for (number, client) in clients.enumerated() {
            client.prepare(batches[batch][(number * uploadCount)..<((number + 1) * uploadCount)])
          }
          return try seconds { try generator.upload(clients, window: window) }
        },
        Contender { batch in try seconds { try raw.insert(batches[batch], perTransaction: 1) } },
      ]
    )
    try generator.drop(clients)
    return Figure(
      quantity: name,
      unit: .rate(of: "transactions"),
      flexSync: samples[0].perItem(total),
      comparison: "raw commits of 1 row, synchronous=FULL",
      raw: samples[1].perItem(total)
    )
  }

  private var name: String {
    let who = clientCount == 1 ? "1 client uploads" : "\(clientCount) clients upload"
    let how = window == 1 ? "each waits for its acknowledgement" : "up to \(window) each not acknowledged"
    return "\(who) transactions of 1 object, \(how)"
  }
}
