// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncWire

/// The history of a realm file as Realm's clients keep it: local changes, and the server versions integrated between
/// them.
struct PeerHistory {
  /// A change that the server has not acknowledged, or that may still be concurrent with downloads.
  struct LocalChange {
    let version: ClientVersion
    let base: ServerVersion
    let timestamp: UInt64
    let original: [Instruction]
    /// The change transformed by the downloads since.
    var reciprocal: [Instruction]
  }

  private(set) var changes: [LocalChange] = []
  private(set) var newestVersion: ClientVersion = 1
  private var integrations: [(version: ClientVersion, serverVersion: ServerVersion)] = []
  /// The properties that merging may have left different from the server, which then sends them in full.
  private var doubted: [ObjectReference: Set<String>] = [:]

  /// Creates a client version without changes of objects.
  @discardableResult
  mutating func advance() -> ClientVersion {
    newestVersion += 1
    return newestVersion
  }

  /// Adds a local change.
  ///
  /// - Parameter version: The client version; nil for a new one.
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

  /// Returns the server version up to which a client version has integrated everything.
  func serverVersion(at version: ClientVersion) -> ServerVersion {
    integrations.last { $0.version <= version }?.serverVersion ?? 0
  }

  /// Records that a download has been integrated, after which the cursors are as given.
  mutating func integrated(_ progress: SyncProgress) {
    changes.removeAll {
      $0.version <= min(progress.upload.clientVersion, progress.download.clientVersion)
    }
    if changes.isEmpty { doubted = [:] }
    integrations.append((advance(), progress.download.serverVersion))
  }

  /// Forgets everything except the version numbers, because the state was replaced by that of another file.
  mutating func startOver(at serverVersion: ServerVersion) {
    (changes, doubted) = ([], [:])
    integrations = [(0, serverVersion)]
    advance()
  }

  /// Merges a downloaded entry with the local changes that the server did not know when it created the entry.
  ///
  /// - Returns: The instructions to apply.
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

  /// Returns whether an instruction changes a property that may differ from the server's.
  func doubts(_ instruction: Instruction) -> Bool {
    guard let object = instruction.object, let field = instruction.field else { return false }
    return doubted[object]?.contains(field) == true
  }
}
