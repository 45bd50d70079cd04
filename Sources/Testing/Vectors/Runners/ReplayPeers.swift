// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// The bookkeeping of a client in a merge (protocol §7.2).
struct ReplayClient {
  let ident: UInt64
  private(set) var model: ObjectModel
  /// The committed changesets by client version, as uploaded.
  private(set) var committed: [UInt64: Changeset] = [:]
  /// The committed changesets in the form that later merges need.
  private var reciprocals: [(version: UInt64, changeset: Changeset)] = []

  init(ident: UInt64, model: ObjectModel) {
    self.ident = ident
    self.model = model
  }

  mutating func commit(_ changeset: Changeset, version: UInt64) throws(ModelError) {
    try model.apply(changeset.instructions)
    committed[version] = changeset
    reciprocals.append((version, changeset))
  }

  /// Integrates downloaded entries. Those with the same base are merged together.
  ///
  /// - Returns: The instructions applied for each entry.
  mutating func integrate(_ entries: [DownloadedChangeset]) throws -> [[Instruction]] {
    var applied: [[Instruction]] = []
    var rest = entries[...]
    while let base = rest.first?.clientVersion {
      let group = rest.prefix { $0.clientVersion == base }
      rest = rest.dropFirst(group.count)
      let first = reciprocals.firstIndex { $0.version > base } ?? reciprocals.endIndex
      var local = reciprocals[first...].map(\.changeset)
      var incoming = group.map(\.changeset)
      try Merge.transform(local: &local, incoming: &incoming)
      for (offset, changeset) in local.enumerated() { reciprocals[first + offset].changeset = changeset }
      for changeset in incoming {
        try model.apply(changeset.instructions)
        applied.append(changeset.instructions)
      }
    }
    return applied
  }
}

/// The bookkeeping of a server in a merge (protocol §7.2): its history as each client will receive it.
struct ReplayServer {
  private(set) var model: ObjectModel
  private var history: [(version: UInt64, changeset: Changeset)] = []
  /// The history entries as changed by merges with each client, by client and server version.
  private var reciprocals: [UInt64: [UInt64: Changeset]] = [:]

  init(model: ObjectModel) {
    self.model = model
  }

  /// - Returns: The instructions that were applied and go to the other clients.
  mutating func integrate(
    _ changeset: Changeset,
    baseVersion: UInt64,
    version: UInt64
  ) throws -> [Instruction] {
    let author = changeset.stamp.fileIdent
    let entries = history.filter { $0.version > baseVersion && $0.changeset.stamp.fileIdent != author }
    var local = entries.map { reciprocals[author]?[$0.version] ?? $0.changeset }
    var incoming = [changeset]
    try Merge.transform(local: &local, incoming: &incoming)
    for (entry, changed) in zip(entries, local) { reciprocals[author, default: [:]][entry.version] = changed }
    try model.apply(incoming[0].instructions)
    history.append((version, incoming[0]))
    return incoming[0].instructions
  }
}
