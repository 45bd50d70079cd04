// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncWire

/// The history of a realm file as Realm's clients keep it: local changes, and up to where the server's versions were
/// integrated in between.
struct PeerHistory {
  /// A change that the server has not acknowledged, or with which downloads may still be concurrent.
  struct LocalChange {
    let version: ClientVersion
    let base: ServerVersion
    let timestamp: UInt64
    let original: [Instruction]
    /// The change as it is after what was downloaded since.
    var reciprocal: [Instruction]
  }

  private(set) var changes: [LocalChange] = []
  private(set) var newestVersion: ClientVersion = 1
  private var integrations: [(version: ClientVersion, serverVersion: ServerVersion)] = []
  /// The properties that merging may have left otherwise than on the server, which then sends them whole.
  private var doubted: [ObjectReference: Set<String>] = [:]

  /// Makes a client version without changes of objects.
  @discardableResult
  mutating func advance() -> ClientVersion {
    newestVersion += 1
    return newestVersion
  }

  /// Adds a local change.
  ///
  /// - Parameter version: nil for a new version.
  mutating func add(
    _ instructions: [Instruction],
    version: ClientVersion? = nil,
    base: ServerVersion,
    timestamp: UInt64
  ) {
    changes.append(
      LocalChange(
        version: version ?? advance(),
        base: base,
        timestamp: timestamp,
        original: instructions,
        reciprocal: instructions
      )
    )
  }

  /// Up to which version of the server a client version has everything.
  func serverVersion(at version: ClientVersion) -> ServerVersion {
    integrations.last { $0.version <= version }?.serverVersion ?? 0
  }

  /// A download has been integrated, after which the cursors are these.
  mutating func integrated(_ progress: SyncProgress) {
    changes.removeAll {
      $0.version <= min(progress.upload.clientVersion, progress.download.clientVersion)
    }
    if changes.isEmpty { doubted = [:] }
    integrations.append((advance(), progress.download.serverVersion))
  }

  /// Forgets everything but the numbers of versions, because the state was replaced by that of another file.
  mutating func startOver(at serverVersion: ServerVersion) {
    (changes, doubted) = ([], [:])
    integrations = [(0, serverVersion)]
    advance()
  }

  /// Merges an entry of a download with the local changes that the server did not know when it made it.
  ///
  /// - Returns: what is to be applied.
  mutating func merge(_ entry: DownloadEntry, fileIdent: FileIdent) throws -> [Instruction] {
    let concurrent = changes.indices.filter { changes[$0].version > entry.clientVersion }
    var local = concurrent.map { index in
      Changeset(
        stamp: OriginStamp(timestamp: changes[index].timestamp, fileIdent: fileIdent),
        instructions: changes[index].reciprocal
      )
    }
    let stamp = OriginStamp(timestamp: entry.timestamp, fileIdent: entry.originFileIdent)
    let instructions = try ChangesetCodec.decode(entry.changeset).instructions
    var incoming = [Changeset(stamp: stamp, instructions: instructions)]
    let outcome = try Merge.transform(local: &local, incoming: &incoming)
    for doubt in outcome.doubts { doubted[doubt.object, default: []].insert(doubt.field) }
    for (offset, index) in concurrent.enumerated() { changes[index].reciprocal = local[offset].instructions }
    return incoming[0].instructions
  }

  /// Whether an instruction changes a property that may be otherwise than on the server.
  func doubts(_ instruction: Instruction) -> Bool {
    guard let object = instruction.object, let field = instruction.field else { return false }
    return doubted[object]?.contains(field) == true
  }
}
