// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncVectors

/// An entry of a client file's stream (protocol §5.3).
struct ModelStreamEntry {
  let version: UInt64
  /// How far the server had integrated the client.
  let clientVersion: UInt64
  /// As it goes to the client.
  let changeset: Changeset
  /// As uploads are merged with it.
  var reciprocal: Changeset
}

/// A changeset that a client uploads.
struct ModelUpload {
  let clientVersion: UInt64
  /// The server version that the client had integrated before.
  let serverVersion: UInt64
  let changeset: Changeset
}

/// A server that puts uploads in an order and keeps one stream for each client, in memory.
struct ModelServer {
  static let ident: UInt64 = 1

  private(set) var model: ObjectModel
  private(set) var streams: [UInt64: [ModelStreamEntry]] = [:]
  private(set) var repairCount = 0
  private var heads: [UInt64: UInt64] = [:]
  private var integrated: [UInt64: UInt64] = [:]

  init(model: ObjectModel, clients: [UInt64]) {
    self.model = model
    for client in clients { (streams[client], heads[client], integrated[client]) = ([], 0, 0) }
  }

  mutating func integrate(_ upload: ModelUpload) throws {
    let author = upload.changeset.stamp.fileIdent
    var concurrent = streams[author, default: []].filter { $0.version > upload.serverVersion }
    var local = concurrent.map(\.reciprocal)
    var incoming = [upload.changeset]
    let outcome = try Merge.transform(local: &local, incoming: &incoming)
    for offset in outcome.local { concurrent[offset].reciprocal = local[offset] }
    // Later uploads of the client have the same base or a later one.
    streams[author] = concurrent
    try model.apply(incoming[0].instructions)
    integrated[author] = upload.clientVersion
    for client in streams.keys where client != author { place(incoming[0], for: client) }
    repair(outcome.doubts, of: upload.changeset.stamp)
  }

  private mutating func place(_ changeset: Changeset, for client: UInt64) {
    heads[client, default: 0] += 1
    streams[client, default: []].append(
      ModelStreamEntry(
        version: heads[client, default: 0],
        clientVersion: integrated[client, default: 0],
        changeset: changeset,
        reciprocal: changeset
      )
    )
  }

  /// Sends the author what it may have in another state.
  private mutating func repair(_ doubts: [MergeDoubt], of stamp: OriginStamp) {
    let instructions = doubts.compactMap { model.replacement(of: $0.field, in: $0.object) }.flatMap { $0 }
    guard !instructions.isEmpty else { return }
    repairCount += 1
    let own = OriginStamp(timestamp: stamp.timestamp, fileIdent: Self.ident)
    place(Changeset(stamp: own, instructions: instructions), for: stamp.fileIdent)
  }
}
