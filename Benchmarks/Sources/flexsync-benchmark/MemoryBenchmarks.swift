// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops
import Foundation

/// Memory: what a server with a long history uses with and without clients, after a restart, and after a client
/// that missed the entire history returns.
func memoryBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let count = options.isQuick ? 10_000 : 100_000
  let away = LoadClient(assignee: "away", seesAll: true)
  var figures: [Figure] = []
  var empty = ServerMemory()
  var token: String?
  func note(_ words: String, _ memory: ServerMemory) {
    figures += memory.figures("server with \(count) versions, \(words)", empty: empty)
  }
  try Server.run(options, in: folder) { server in
    empty = try server.memory()
    let generator = try LoadGenerator(server)
    token = generator.token
    try generator.connect([away])
    try generator.drop([away])
    try fill(generator, count)
    note("no client", try server.memory())
    let clients = (0..<50).map { LoadClient(assignee: "quiet-\($0)") }
    try generator.connect(clients)
    note("50 clients", try server.memory())
    try generator.drop(clients)
  }
  try Server.run(options, in: folder) { server in
    note("after a restart", try server.memory())
    let generator = try LoadGenerator(server, token: token)
    let before = away.receivedCount
    try generator.connect([away])
    try generator.wait([away]) { $0.receivedCount >= before + count }
    note("after a client that missed all", try server.memory())
  }
  return figures
}

/// Adds versions to the history.
private func fill(_ generator: LoadGenerator, _ count: Int) throws {
  let writers = (0..<10).map { LoadClient(assignee: "writer-\($0)") }
  try generator.connect(writers)
  let share = count / writers.count
  for (number, writer) in writers.enumerated() {
    writer.prepare(makeTasks(share, from: number * share)[...])
  }
  try generator.upload(writers, window: 32)
  try generator.drop(writers)
}

/// The memory of a server process, in bytes.
struct ServerMemory {
  /// The resident memory, including mapped files.
  var resident = 0
  /// The allocated memory, most of it SQLite's page cache: up to 64 MiB for each app.
  var allocated = 0

  fileprivate func figures(_ words: String, empty: ServerMemory) -> [Figure] {
    [("resident", resident, empty.resident), ("allocated", allocated, empty.allocated)].map {
      Figure(
        quantity: "\(words): \($0)",
        unit: .mebibytes,
        flexSync: Samples([Double($1)]),
        comparison: "the same server with no data",
        raw: Samples([Double($2)])
      )
    }
  }
}

extension Server {
  /// Returns the current memory of the server process.
  func memory() throws -> ServerMemory {
    let path = "/proc/\(processIdentifier)/status"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw BenchmarkError("'\(path)' cannot be read. The memory of a server is measured on Linux only.")
    }
    func bytes(_ name: String) -> Int {
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
    }
    return ServerMemory(resident: bytes("VmRSS"), allocated: bytes("RssAnon"))
  }
}
