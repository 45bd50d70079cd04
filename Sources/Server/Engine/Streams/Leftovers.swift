// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

/// The remains of a client's stream entries after merging with its uploads, for some objects, in the order of the
/// history.
struct Leftovers {
  private static let pieceByteCount = 32 << 10

  private let file: ClientFileRecord
  private var readVersion: UInt64
  private var reciprocals: [UInt64: [ObjectReference: [Instruction]]]?
  private var entries: ArraySlice<Leftover> = []
  /// The newest version of the history that the entries read so far come from.
  private var newestVersion: UInt64 = 0

  /// What is left of an entry.
  struct Leftover {
    /// The entry. One of the server's own has the version of the history after which it was placed.
    let planned: PlannedEntry
    /// Whether the server itself wrote it, to correct what the client had uploaded. The history does not contain it.
    let isServers: Bool
  }

  /// - Parameter version: the stream version of the first entry.
  init(of file: ClientFileRecord, from version: UInt64) {
    self.file = file
    readVersion = version - 1
  }

  /// Reads some of the entries.
  ///
  /// - Returns: Whether all are read.
  mutating func read(of objects: Set<ObjectReference>, from store: ServerStore, _ meter: TurnMeter) throws
    -> Bool
  {
    if objects.isEmpty { return true }
    try readReciprocals(of: objects, from: store)
    while readVersion < file.streamHead {
      let piece = try store.streamEntries(
        file: file.ident,
        after: readVersion,
        through: file.streamHead,
        maximumByteCount: Leftovers.pieceByteCount
      )
      for entry in piece { try note(entry, of: objects) }
      readVersion = piece.last?.version ?? file.streamHead
      meter.count(steps: 1 + piece.count, bytes: piece.reduce(0) { $0 + $1.changeset.count })
      if meter.isExhausted { break }
    }
    return readVersion >= file.streamHead
  }

  private mutating func readReciprocals(of objects: Set<ObjectReference>, from store: ServerStore) throws {
    guard reciprocals == nil else { return }
    var all: [UInt64: [ObjectReference: [Instruction]]] = [:]
    for reciprocal in try store.objectReciprocals(file: file.ident) where objects.contains(reciprocal.object)
    {
      all[reciprocal.version, default: [:]][reciprocal.object] =
        try ChangesetCodec.decode(reciprocal.changeset).instructions
    }
    reciprocals = all
  }

  private mutating func note(_ entry: StreamEntry, of objects: Set<ObjectReference>) throws {
    guard case .steady(let historyVersion) = entry.kind else { return }
    newestVersion = historyVersion ?? newestVersion
    let groups = ObjectGroups(try ChangesetCodec.decode(entry.changeset).instructions)
    let instructions = groups.objects.filter(objects.contains).flatMap { object in
      reciprocals?[entry.version]?[object] ?? groups.instructions(of: object)
    }
    guard !instructions.isEmpty else { return }
    let changeset = ChangesetCodec.encode(instructions)
    let planned = PlannedEntry(version: newestVersion, stamp: entry.stamp, changeset: changeset)
    // A long entry may have been placed in parts.
    if historyVersion != nil, let last = entries.last, !last.isServers, last.planned.version == newestVersion
    {
      entries.removeLast()
      entries.append(Leftover(planned: try last.planned.joined(with: planned), isServers: false))
    } else {
      entries.append(Leftover(planned: planned, isServers: historyVersion == nil))
    }
  }

  /// Removes and returns the entries that come from before a version of the history.
  mutating func take(before version: UInt64) -> ArraySlice<Leftover> {
    let taken = entries.prefix { $0.planned.version < version }
    entries = entries.dropFirst(taken.count)
    return taken
  }

  /// Removes and returns the next entry if it comes from a version of the history.
  mutating func take(at version: UInt64) -> PlannedEntry? {
    guard let first = entries.first, !first.isServers, first.planned.version == version else { return nil }
    return entries.removeFirst().planned
  }

  /// Removes and returns the remaining entries.
  mutating func takeRest() -> ArraySlice<Leftover> {
    defer { entries = [] }
    return entries
  }
}

extension PlannedEntry {
  /// Returns this entry joined with another of the same version.
  func joined(with other: PlannedEntry) throws -> PlannedEntry {
    let instructions =
      try ChangesetCodec.decode(changeset).instructions + ChangesetCodec.decode(other.changeset).instructions
    return PlannedEntry(version: version, stamp: stamp, changeset: ChangesetCodec.encode(instructions))
  }
}
