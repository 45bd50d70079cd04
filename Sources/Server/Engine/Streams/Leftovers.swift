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
  private var entries: ArraySlice<PlannedEntry> = []
  /// The server's corrections of what the client has uploaded, to the extent that they are read.
  private(set) var corrections: [Correction] = []
  private var correctionIndexes: [Correction.Place: Int] = [:]

  /// The newest correction of a property, whose value on the client differs from the server's without it.
  struct Correction {
    struct Place: Hashable {
      let object: ObjectReference
      let property: String
    }

    let place: Place
    let stamp: OriginStamp
    let instructions: [Instruction]
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
    guard case .steady(let version) = entry.kind else { return }
    let groups = ObjectGroups(try ChangesetCodec.decode(entry.changeset).instructions)
    guard let historyVersion = version else { return noteCorrections(groups, entry.stamp, of: objects) }
    let instructions = groups.objects.filter(objects.contains).flatMap { object in
      reciprocals?[entry.version]?[object] ?? groups.instructions(of: object)
    }
    guard !instructions.isEmpty else { return }
    let changeset = ChangesetCodec.encode(instructions)
    let leftover = PlannedEntry(version: historyVersion, stamp: entry.stamp, changeset: changeset)
    // A long entry may have been placed in parts.
    let isPart = entries.last?.version == historyVersion
    entries.append(isPart ? try entries.removeLast().joined(with: leftover) : leftover)
  }

  private mutating func noteCorrections(
    _ groups: ObjectGroups,
    _ stamp: OriginStamp,
    of objects: Set<ObjectReference>
  ) {
    for object in groups.objects where objects.contains(object) {
      let instructions = groups.instructions(of: object)
      // Entire objects are sent because the view has changed.
      guard instructions.allSatisfy({ $0.path != nil }) else { continue }
      let properties = Dictionary(grouping: instructions) { $0.path?.field ?? "" }
      for (property, instructions) in properties.sorted(by: { $0.key < $1.key }) {
        let place = Correction.Place(object: object, property: property)
        note(Correction(place: place, stamp: stamp, instructions: instructions))
      }
    }
  }

  private mutating func note(_ correction: Correction) {
    if let index = correctionIndexes[correction.place] { return corrections[index] = correction }
    correctionIndexes[correction.place] = corrections.count
    corrections.append(correction)
  }

  /// Removes and returns the entries that come from before a version of the history.
  mutating func take(before version: UInt64) -> ArraySlice<PlannedEntry> {
    let taken = entries.prefix { $0.version < version }
    entries = entries.dropFirst(taken.count)
    return taken
  }

  /// Removes and returns the next entry if it comes from a version of the history.
  mutating func take(at version: UInt64) -> PlannedEntry? {
    entries.first?.version == version ? entries.removeFirst() : nil
  }

  /// Removes and returns the remaining entries.
  mutating func takeRest() -> ArraySlice<PlannedEntry> {
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
