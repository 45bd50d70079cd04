// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

/// The local changes that incoming changesets are merged with, in reciprocal form: as they would be had the
/// incoming changes come first (protocol §7.2).
///
/// It is kept from one DOWNLOAD to the next, so that a long history is read once rather than for every message.
struct ConcurrentChanges {
  private struct Entry {
    let version: UInt64
    var changeset: Changeset
  }

  let fileIdent: UInt64
  /// The download cursor up to which everything is merged. Anything else that changes the history (another agent's
  /// integration, a bootstrap, a client reset) also moves the cursor of the file, which reveals it.
  var serverVersion: UInt64
  /// The client version after which the history was read.
  private var start: UInt64
  private var entries: [Entry] = []
  /// The numbers of the entries that touch an object, ascending. The number of an entry is its index plus
  /// `droppedCount`.
  private var numbersByObject: [ObjectReference: [Int]] = [:]
  /// The numbers of the entries that erase classes or properties, which affect all objects.
  private var erasureNumbers: [Int] = []
  private var droppedCount = 0
  /// The numbers of the entries that merging has altered since they were last stored.
  private var alteredNumbers: Set<Int> = []

  /// The properties that merging may have left different from the server, which then sends them in full
  /// (Docs/Merge.md).
  private var doubtedFields: [ObjectReference: Set<String>] = [:]

  /// Whether there is nothing to merge with.
  var isEmpty: Bool { entries.isEmpty && doubtedFields.isEmpty }

  /// Whether an instruction changes a property that may differ from the server until the server sends it in full.
  func doubts(_ instruction: Instruction) -> Bool {
    guard let path = instruction.path else { return false }
    return doubtedFields[path.object]?.contains(path.field) ?? false
  }

  /// Reads the history after a client version.
  init(_ database: Database, after clientVersion: UInt64, fileIdent: UInt64, serverVersion: UInt64) throws {
    self.fileIdent = fileIdent
    self.serverVersion = serverVersion
    start = clientVersion
    try read(database, after: clientVersion)
  }

  /// Drops the entries up to a client version and reads the new ones.
  ///
  /// - Returns: Whether the entries now match the history in the database; if not, it must be read anew.
  mutating func update(_ database: Database, after clientVersion: UInt64) throws -> Bool {
    guard clientVersion >= start else { return false }
    start = clientVersion
    let obsolete = entries.firstIndex { $0.version > clientVersion } ?? entries.count
    entries.removeFirst(obsolete)
    droppedCount += obsolete
    if entries.isEmpty {
      numbersByObject = [:]
      erasureNumbers = []
    }
    try read(database, after: entries.last?.version ?? clientVersion)
    return try Self.count(database, after: clientVersion) == entries.count
  }

  private static func count(_ database: Database, after clientVersion: UInt64) throws -> Int {
    try database.firstRow("SELECT count(*) FROM flx_history WHERE version > ?1", [clientVersion]) {
      Int($0.int(0))
    } ?? 0
  }

  private mutating func read(_ database: Database, after clientVersion: UInt64) throws {
    let sql = """
      SELECT version, timestamp, ifnull(reciprocal, changeset) FROM flx_history WHERE version > ?1 ORDER BY version
      """
    try database.withStatement(sql) { statement in
      statement.bind(clientVersion, at: 1)
      while try statement.step() {
        let version = statement.unsigned(0)
        let stamp = OriginStamp(timestamp: statement.unsigned(1), fileIdent: fileIdent)
        let instructions: [Instruction]
        do {
          instructions = try ChangesetCodec.decode(try statement.unpacked(2)).instructions
        } catch {
          throw StorageError(
            kind: .corrupt,
            message: "The history of '\(database.path)' is damaged at version \(version): \(error). "
              + "Delete the file to download the server's data again."
          )
        }
        append(Entry(version: version, changeset: Changeset(stamp: stamp, instructions: instructions)))
      }
    }
  }

  private mutating func append(_ entry: Entry) {
    let number = droppedCount + entries.count
    entries.append(entry)
    for instruction in entry.changeset.instructions {
      switch instruction {
      case .eraseTable, .eraseColumn: erasureNumbers.append(number)
      default:
        guard let object = instruction.object, numbersByObject[object]?.last != number else { continue }
        numbersByObject[object, default: []].append(number)
      }
    }
  }

  /// Merges changesets that the server made after integrating this client up to `clientVersion`.
  ///
  /// - Parameter isBootstrap: whether they are part of a bootstrap.
  /// - Returns: the local changes that were lost to erasures and must be reported to the app.
  mutating func merge(_ incoming: inout [Changeset], after clientVersion: UInt64, isBootstrap: Bool) throws
    -> [LostChanges]
  {
    let indexes = indexes(concerning: incoming).filter { entries[$0].version > clientVersion }
    guard !indexes.isEmpty else { return [] }
    let erasures = NotableErasures(in: incoming, isBootstrap: isBootstrap)
    let endangered = changes(of: erasures.objects, at: indexes)
    var local = indexes.map { entries[$0].changeset }
    let outcome = try Merge.transform(local: &local, incoming: &incoming)
    for doubt in outcome.doubts { doubtedFields[doubt.object, default: []].insert(doubt.field) }
    for offset in outcome.local {
      entries[indexes[offset]].changeset = local[offset]
      alteredNumbers.insert(droppedCount + indexes[offset])
    }
    return endangered.isEmpty ? [] : lost(endangered, RemainingErasures(in: incoming))
  }

  /// Returns what the entries change in some objects, in a deterministic order.
  private func changes(of objects: Set<ObjectReference>, at indexes: [Int])
    -> [(object: ObjectReference, changes: [ObjectChange])]
  {
    guard !objects.isEmpty else { return [] }
    var changes: [ObjectReference: [ObjectChange]] = [:]
    for index in indexes {
      let entry = entries[index]
      var instructions: [ObjectReference: [Instruction]] = [:]
      for instruction in entry.changeset.instructions {
        guard let object = instruction.object, objects.contains(object) else { continue }
        instructions[object, default: []].append(instruction)
      }
      for (object, instructions) in instructions {
        let timestamp = entry.changeset.stamp.timestamp
        changes[object, default: []].append(
          ObjectChange(version: entry.version, timestamp: timestamp, instructions: instructions)
        )
      }
    }
    return changes.map { ($0.key, $0.value) }
      .sorted { "\($0.object.table) \($0.object.key)" < "\($1.object.table) \($1.object.key)" }
  }

  /// Returns the changes lost to erasures that remain after merging. Such an erasure takes all changes of its
  /// object; that is no loss if the last of them erased the object, unless the server has replaced it.
  private func lost(
    _ endangered: [(object: ObjectReference, changes: [ObjectChange])],
    _ erasures: RemainingErasures
  ) -> [LostChanges] {
    endangered.compactMap { object, changes in
      guard erasures.erased.contains(object) else { return nil }
      let isReplaced = erasures.replaced.contains(object)
      let isErasure = changes.last?.instructions.last == .eraseObject(object)
      guard isReplaced || !isErasure else { return nil }
      return LostChanges(object: object, changes: changes, isReplaced: isReplaced)
    }
  }

  /// Returns the indexes of the entries to which merge rules may apply because they concern the same objects
  /// (protocol §7.6).
  private func indexes(concerning incoming: [Changeset]) -> [Int] {
    var numbers = Set(erasureNumbers)
    for changeset in incoming {
      for instruction in changeset.instructions {
        guard let object = instruction.object else { return Array(entries.indices) }
        if let concerned = numbersByObject[object] { numbers.formUnion(concerned) }
      }
    }
    return numbers.map { $0 - droppedCount }.filter { $0 >= 0 }.sorted()
  }

  /// Stores the entries that merging has altered.
  mutating func save(_ database: Database) throws {
    for number in alteredNumbers.sorted() where number >= droppedCount {
      let entry = entries[number - droppedCount]
      try database.run(
        "UPDATE flx_history SET reciprocal = ?1 WHERE version = ?2",
        [ChangesetCodec.encode(entry.changeset.instructions), entry.version]
      )
    }
    alteredNumbers = []
  }
}
