// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncVectors

/// A client that changes its state offline, uploads, and integrates downloads over what the server does not know
/// (protocol §7.2), in memory.
struct ModelClient {
  let ident: UInt64
  private(set) var model: ObjectModel
  private(set) var uploads: [ModelUpload] = []
  private var version: UInt64 = 0
  private var serverVersion: UInt64 = 0
  /// Local changes in reciprocal form.
  private var history: [(version: UInt64, changeset: Changeset)] = []

  init(ident: UInt64, model: ObjectModel) {
    self.ident = ident
    self.model = model
  }

  /// Makes a transaction, unless it is not possible in this state.
  mutating func write(_ instructions: [Instruction], time: UInt64) {
    var next = model
    for instruction in instructions {
      guard next.countsRightly(instruction), (try? next.apply(instruction)) != nil else { return }
    }
    model = next
    version += 1
    let stamp = OriginStamp(timestamp: time, fileIdent: ident)
    let changeset = Changeset(stamp: stamp, instructions: instructions)
    history.append((version, changeset))
    uploads.append(ModelUpload(clientVersion: version, serverVersion: serverVersion, changeset: changeset))
  }

  /// The oldest change that was not uploaded.
  mutating func nextUpload() -> ModelUpload? { uploads.isEmpty ? nil : uploads.removeFirst() }

  /// Integrates at most some entries of the stream.
  mutating func download(_ stream: [ModelStreamEntry], limit: Int) throws {
    for entry in stream.lazy.filter({ [serverVersion] in $0.version > serverVersion }).prefix(limit) {
      history.removeAll { $0.version <= entry.clientVersion }
      var local = history.map(\.changeset)
      var incoming = [entry.changeset]
      let outcome = try Merge.transform(local: &local, incoming: &incoming)
      for offset in outcome.local { history[offset].changeset = local[offset] }
      try model.apply(incoming[0].instructions)
      serverVersion = entry.version
    }
  }
}

extension ObjectModel {
  /// Whether an update of a list element knows the length of the list, which applying does not check.
  func countsRightly(_ instruction: Instruction) -> Bool {
    guard case .update(let path, _, .priorSize(let size)) = instruction else { return true }
    var probe = self
    return (try? probe.apply(.arrayErase(path, priorSize: size))) != nil
  }
}
