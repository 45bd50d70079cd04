// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncVectors

/// Makes traces of clients that write, are away, and come back, from a seed.
struct RandomTrace {
  private var generator: SeededGenerator
  private var group: SyncGroup
  private var steps: [SyncTrace.Step] = []
  private let base: ObjectModel
  /// The clocks of the clients, which are not right.
  private var times: [UInt64]

  private init(seed: UInt64, base: ObjectModel) {
    generator = SeededGenerator(seed: seed)
    self.base = base
    group = SyncGroup(base: base)
    times = []
    times = SyncTrace.clients.map { _ in UInt64.random(in: 0...500, using: &generator) }
  }

  /// Lets each client make so many transactions.
  ///
  /// - Returns: what happened up to the failure; nil if all ended equal.
  static func failing(seed: UInt64, writesPerClient: Int, base: ObjectModel) -> SyncTrace? {
    var random = RandomTrace(seed: seed, base: base)
    var writers = SyncTrace.clients.indices.flatMap { Array(repeating: $0, count: writesPerClient) }
    writers.shuffle(using: &random.generator)
    do {
      for writer in writers {
        try random.write(writer)
        try random.communicate()
      }
      try random.group.synchronize()
      if random.group.difference == nil { return nil }
    } catch {
      // The steps up to here show it again.
    }
    return SyncTrace(base: base, steps: random.steps)
  }

  private mutating func perform(_ step: SyncTrace.Step) throws {
    steps.append(step)
    try group.perform(step)
  }

  private mutating func write(_ client: Int) throws {
    times[client] += UInt64.random(in: 0...20, using: &generator)
    var edit = RandomEdit(model: group.clients[client].model, generator: generator)
    let instructions = edit.transaction()
    generator = edit.generator
    try perform(.write(client: client, instructions, time: times[client]))
  }

  /// Mostly nobody is connected, so that changes are concurrent.
  private mutating func communicate() throws {
    guard Int.random(in: 0..<4, using: &generator) == 0 else { return }
    let client = Int.random(in: SyncTrace.clients.indices, using: &generator)
    for _ in 0..<Int.random(in: 1...20, using: &generator) {
      if Bool.random(using: &generator) {
        try perform(.upload(client: client))
      } else {
        try perform(.download(client: client, limit: Int.random(in: 1...10, using: &generator)))
      }
    }
  }
}
