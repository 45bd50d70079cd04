// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncServerSupport

/// The entries of a file's stream that its client has not acknowledged, by object and in their reciprocal form.
/// Uploads are merged with them (protocol §7.2).
final class MergeWindow {
  /// The effect of one entry on one object.
  struct Piece {
    let version: UInt64
    let stamp: OriginStamp
    /// The instructions; nil if they are read from the store when needed.
    var instructions: [Instruction]?
  }

  /// A bootstrap that is not acknowledged. Its effect on an object follows from the views.
  private struct UnacknowledgedBootstrap {
    let version: UInt64
    let stamp: OriginStamp
    let placedVersion: UInt64
    let held: HeldView
    let view: View
    /// For objects changed since the bootstrap, the image from before the first of these changes.
    var imagesBefore: [ObjectReference: (image: ObjectImage?, layout: ImageLayout)] = [:]
    /// The part of the history since the bootstrap that has been searched for these images.
    var scan: HistoryPass
  }

  private let file: UInt64
  private let store: ServerStore
  private let schema: AppSchema
  private let history: CommittedHistory
  /// The version up to which the stream is loaded.
  private var loadedVersion: UInt64
  private var hasReciprocals = false
  private var pieces: [ObjectReference: [Piece]] = [:]
  /// The entries whose instructions are in memory, with their encoded sizes in bytes.
  private var kept: [(version: UInt64, byteCount: Int)] = []
  private var byteCount = 0
  private var bootstraps: [UnacknowledgedBootstrap] = []
  /// The newest entry that reverts refused writes, by object.
  private var revertingVersions: [ObjectReference: UInt64] = [:]
  /// The objects of bootstraps that are in `pieces`, each with the version of its bootstrap.
  private var settled: Set<SettledObject> = []

  /// The alterations by merging that are not stored yet, without duplicates, in the order in which they first
  /// occurred.
  private var unsaved: [SettledObject] = []
  private var unsavedSet: Set<SettledObject> = []
  /// The pieces that the upload being merged has altered, in their previous state.
  private var before: [ObjectReference: [Piece]] = [:]
  private var unsavedCountBefore = 0

  private struct SettledObject: Hashable {
    let version: UInt64
    let object: ObjectReference
  }

  /// Creates an empty window; see `load`.
  init(of file: ClientFileRecord, store: ServerStore, schema: AppSchema, history: CommittedHistory) {
    self.file = file.ident
    self.store = store
    self.schema = schema
    self.history = history
    loadedVersion = file.trimmedVersion
  }

  // MARK: Loading

  /// Whether preparing to merge uploads takes more work than fits into a part of a turn.
  ///
  /// - Parameter base: the base of the oldest upload.
  func needsLong(_ file: ClientFileRecord, base: UInt64) throws -> Bool {
    if loadedVersion < file.streamHead {
      guard file.streamHead - loadedVersion <= UInt64(history.limits.recentCount) else { return true }
      let byteCount = history.limits.pieceByteCount
      let piece = try store.streamEntries(file: self.file, after: loadedVersion, maximumByteCount: byteCount)
      if piece.last?.version != file.streamHead { return true }
    }
    var placed = bootstraps.filter { $0.version > base }.map(\.scan.version)
    if loadedVersion < file.streamHead,
      let next = try store.firstBootstrap(file: self.file, after: max(loadedVersion, base))
    {
      placed.append(next.record.placedVersion)
    }
    return try placed.contains(where: history.isLong)
  }

  /// Loads the missing entries of the stream, or some of them if there are many.
  ///
  /// - Returns: Whether all are loaded.
  func load(_ file: ClientFileRecord, _ meter: TurnMeter) throws -> Bool {
    let pieceByteCount = min(history.limits.pieceByteCount, MergeWindow.pieceByteCount)
    while loadedVersion < file.streamHead {
      let entries = try store.streamEntries(
        file: self.file,
        after: loadedVersion,
        through: file.streamHead,
        maximumByteCount: pieceByteCount
      )
      try entries.forEach(load)
      loadedVersion = entries.last?.version ?? file.streamHead
      meter.count(steps: 1 + entries.count, bytes: entries.reduce(0) { $0 + $1.changeset.count })
      if meter.isExhausted { break }
    }
    guard loadedVersion >= file.streamHead else { return false }
    if !hasReciprocals { try loadReciprocals(after: file.trimmedVersion) }
    return true
  }

  private static let pieceByteCount = 32 << 10

  private func loadReciprocals(after version: UInt64) throws {
    for reciprocal in try store.objectReciprocals(file: file) where reciprocal.version > version {
      try restore(reciprocal)
    }
    hasReciprocals = true
  }

  /// Scans the history since the bootstraps after a version, as merging does on demand.
  ///
  /// - Returns: Whether the scan is complete.
  func scanBootstraps(after version: UInt64, _ meter: TurnMeter) throws -> Bool {
    for index in bootstraps.indices where bootstraps[index].version > version {
      guard try scan(index, meter) else { return false }
    }
    return true
  }

  private func restore(_ reciprocal: ObjectReciprocal) throws {
    let instructions = try ChangesetCodec.decode(reciprocal.changeset).instructions
    settled.insert(SettledObject(version: reciprocal.version, object: reciprocal.object))
    if let index = pieces[reciprocal.object]?.firstIndex(where: { $0.version == reciprocal.version }) {
      pieces[reciprocal.object]?[index].instructions = instructions
    } else if let bootstrap = bootstraps.first(where: { $0.version == reciprocal.version }) {
      let piece = Piece(version: bootstrap.version, stamp: bootstrap.stamp, instructions: instructions)
      insert(piece, for: reciprocal.object)
    }
  }

  /// Adds an entry that has just been placed, unless an earlier one is still to be loaded.
  ///
  /// - Parameter previousHead: the end of the stream before the entry.
  func add(_ entry: StreamEntry, after previousHead: UInt64) throws {
    guard loadedVersion >= previousHead else { return }
    try load(entry)
    loadedVersion = entry.version
  }

  private func load(_ entry: StreamEntry) throws {
    switch entry.kind {
    case .steady: add(entry, instructions: try ChangesetCodec.decode(entry.changeset).instructions)
    case .inlineBootstrap: break  // It is empty or holds declarations, which need no merge (protocol §7.6).
    case .bootstrap(let record): try add(entry, record)
    }
    guard let text = entry.rejection else { return }
    let rejection = try Rejection(text: text, storedIn: store.database.path)
    // The error may come without a revert, if an earlier entry has reverted the object, and behind the parts of a long one.
    for object in rejection.objects { revertingVersions[object] = pieces[object]?.last?.version }
  }

  /// Whether an entry after a version reverts a refused write to an object.
  func hasReverted(_ object: ObjectReference, after version: UInt64) -> Bool {
    revertingVersions[object].map { $0 > version } ?? false
  }

  /// Whether an entry after a version erases an object. Must be called after a merge of changes that are based on that
  /// version.
  func hasErased(_ object: ObjectReference, after version: UInt64) throws -> Bool {
    try !erasures(of: object, after: version).isEmpty
  }

  /// Whether an entry after a version is known to erase an object, so that the client discards its own changes when it merges
  /// that entry. Of bootstraps it is not known (`isTakenByBootstrap`). Must be called after a merge, like `hasErased`.
  func isSurelyErased(_ object: ObjectReference, after version: UInt64) throws -> Bool {
    try erasures(of: object, after: version).contains { !isBootstrap($0.version) }
  }

  private func erasures(of object: ObjectReference, after version: UInt64) throws -> [Piece] {
    try (pieces[object] ?? []).filter { piece in
      guard piece.version > version else { return false }
      return try instructions(of: piece, on: object).contains(.eraseObject(object))
    }
  }

  private func isBootstrap(_ version: UInt64) -> Bool { bootstraps.contains { $0.version == version } }

  /// Whether a bootstrap after a version is taken to have an effect on an object. It may have none, where it was to erase an
  /// object that the client has never received. Must be called after a merge, like `hasErased`.
  func isTakenByBootstrap(_ object: ObjectReference, after version: UInt64) -> Bool {
    (pieces[object] ?? []).contains { piece in
      piece.version > version && isBootstrap(piece.version)
    }
  }

  private func add(_ entry: StreamEntry, instructions: [Instruction]) {
    let isKept = byteCount + entry.changeset.count <= history.limits.windowByteCount
    if isKept {
      kept.append((entry.version, entry.changeset.count))
      byteCount += entry.changeset.count
    }
    for instruction in instructions {
      guard let object = instruction.object else { continue }
      if let last = pieces[object]?.indices.last, pieces[object]?[last].version == entry.version {
        pieces[object]?[last].instructions?.append(instruction)
      } else {
        pieces[object, default: []].append(
          Piece(version: entry.version, stamp: entry.stamp, instructions: isKept ? [instruction] : nil)
        )
      }
    }
  }

  private func instructions(of piece: Piece, on object: ObjectReference) throws -> [Instruction] {
    if let instructions = piece.instructions { return instructions }
    guard let entry = try store.streamEntry(file: file, version: piece.version) else {
      throw ServerError("the entry at version \(piece.version) of file \(file) is missing from its stream")
    }
    return try ChangesetCodec.decode(entry.changeset).instructions.filter { $0.object == object }
  }

  private func add(_ entry: StreamEntry, _ record: BootstrapRecord) throws {
    bootstraps.append(
      UnacknowledgedBootstrap(
        version: entry.version,
        stamp: entry.stamp,
        placedVersion: record.placedVersion,
        held: try schema.held(before: record),
        view: try schema.view(body: record.query, permissions: record.permissions),
        scan: HistoryPass(after: record.placedVersion)
      )
    )
  }

  /// Forgets the entries up to a version that the client has acknowledged.
  func trim(through version: UInt64) {
    bootstraps.removeAll { $0.version <= version }
    let forgotten = kept.prefix { $0.version <= version }
    byteCount -= forgotten.reduce(0) { $0 + $1.byteCount }
    kept.removeFirst(forgotten.count)
    settled = settled.filter { $0.version > version }
    revertingVersions = revertingVersions.filter { $0.value > version }
    for (object, list) in pieces {
      let rest = list.filter { $0.version > version }
      if rest.count != list.count { pieces[object] = rest.isEmpty ? nil : rest }
    }
  }

  // MARK: Merging

  /// The result of merging an upload.
  struct Merged {
    /// The instructions to apply to the server's state.
    var instructions: [Instruction]
    /// The places where the client may now differ from the server.
    var doubts: [MergeDoubt] = []
  }

  /// Transforms an upload against everything placed after its base, and vice versa.
  ///
  /// - Throws: `MergeError` if client and server disagree about the length of a list.
  func merge(_ instructions: [Instruction], base: UInt64, stamp: OriginStamp) throws -> Merged {
    var order: [ObjectReference] = []
    var groups: [ObjectReference: [Instruction]] = [:]
    for instruction in instructions {
      guard let object = instruction.object else { continue }
      if groups[object] == nil { order.append(object) }
      groups[object, default: []].append(instruction)
    }
    var isChanged = false
    var doubts: [MergeDoubt] = []
    for object in order {
      try settleBootstraps(after: base, object: object)
      let changed = try merge(groups[object] ?? [], of: object, base: base, stamp: stamp, &doubts)
      guard let changed else { continue }
      groups[object] = changed
      isChanged = true
    }
    let merged = isChanged ? order.flatMap { groups[$0] ?? [] } : instructions
    return Merged(instructions: merged, doubts: doubts)
  }

  /// Merges the instructions on one object; returns nil if that leaves them unchanged.
  private func merge(
    _ instructions: [Instruction],
    of object: ObjectReference,
    base: UInt64,
    stamp: OriginStamp,
    _ doubts: inout [MergeDoubt]
  ) throws -> [Instruction]? {
    let concurrent = (pieces[object] ?? []).enumerated().filter { $0.element.version > base }
    guard !concurrent.isEmpty else { return nil }
    var local = try concurrent.map { _, piece in
      Changeset(stamp: piece.stamp, instructions: try self.instructions(of: piece, on: object))
    }
    var incoming = [Changeset(stamp: stamp, instructions: instructions)]
    let outcome = try Merge.transform(local: &local, incoming: &incoming)
    doubts += outcome.doubts
    if !outcome.local.isEmpty, before[object] == nil { before[object] = pieces[object] }
    for offset in outcome.local {
      let index = concurrent[offset].offset
      pieces[object]?[index].instructions = local[offset].instructions
      let altered = SettledObject(version: concurrent[offset].element.version, object: object)
      if unsavedSet.insert(altered).inserted { unsaved.append(altered) }
    }
    return outcome.incoming.isEmpty ? nil : incoming[0].instructions
  }

  /// Begins merging an upload, which may be rolled back.
  func begin() {
    before = [:]
    unsavedCountBefore = unsaved.count
  }

  /// Rolls back what the upload has altered. Afterwards, the window can only be saved.
  func takeBack() {
    for (object, list) in before { pieces[object] = list }
    before = [:]
    // Some of these may belong to entries that were placed together with the upload and no longer exist.
    unsavedSet.subtract(unsaved[unsavedCountBefore...])
    unsaved.removeSubrange(unsavedCountBefore...)
  }

  /// Stores what merging has altered. A message can contain many uploads, and each can alter all entries, so this is
  /// done once per message, not once per upload.
  func save() throws {
    for altered in unsaved {
      let piece = pieces[altered.object]?.first { $0.version == altered.version }
      guard let instructions = piece?.instructions else { continue }
      try save(version: altered.version, altered.object, instructions)
    }
    unsaved = []
    unsavedSet = []
  }

  private func save(version: UInt64, _ object: ObjectReference, _ instructions: [Instruction]) throws {
    let reciprocal = ObjectReciprocal(
      version: version,
      object: object,
      changeset: ChangesetCodec.encode(instructions)
    )
    try store.set(reciprocal, file: file)
  }

  // MARK: Bootstraps

  /// Turns the effects on an object of the bootstraps after a version into pieces. All pieces are stored, because
  /// they also record which objects were uploaded while a bootstrap was in progress (see `StreamRollback`).
  private func settleBootstraps(after base: UInt64, object: ObjectReference) throws {
    for index in bootstraps.indices where bootstraps[index].version > base {
      let bootstrap = bootstraps[index]
      guard settled.insert(SettledObject(version: bootstrap.version, object: object)).inserted else {
        continue
      }
      let instructions = try self.instructions(of: object, bootstrap: index)
      insert(
        Piece(version: bootstrap.version, stamp: bootstrap.stamp, instructions: instructions),
        for: object
      )
      try save(version: bootstrap.version, object, instructions)
    }
  }

  private func insert(_ piece: Piece, for object: ObjectReference) {
    let list = pieces[object] ?? []
    let index = list.firstIndex { $0.version > piece.version } ?? list.endIndex
    pieces[object, default: []].insert(piece, at: index)
  }

  /// Returns the effect of the bootstrap on the object. The properties that it sets do not matter: they stand or fall
  /// with the creation.
  private func instructions(of object: ObjectReference, bootstrap index: Int) throws -> [Instruction] {
    _ = try scan(index, .unlimited())
    let bootstrap = bootstraps[index]
    let image: ObjectImage?
    let layout: ImageLayout
    if let before = bootstrap.imagesBefore[object] {
      (image, layout) = before
    } else {
      image = try schema.image(of: object)
      layout = schema.layout(of: object.table)
    }
    func isIn(_ view: View) -> Bool { view.contains(image, className: object.table, layout: layout) }
    let (view, held) = (bootstrap.view, bootstrap.held)
    guard isIn(view) else { return held.possible.contains(where: isIn) ? [.eraseObject(object)] : [] }
    let isHeld = isIn(held.sure) && view.showsTheSame(of: object.table, as: held.sure)
    return isHeld ? [] : [.eraseObject(object), .createObject(object)]
  }

  /// Notes the images of objects from before their first change since the bootstrap.
  ///
  /// - Returns: Whether all are noted.
  private func scan(_ index: Int, _ meter: TurnMeter) throws -> Bool {
    var pass = bootstraps[index].scan
    defer { bootstraps[index].scan = pass }
    return try pass.goOn(history, meter) { piece in
      for committed in piece { note(committed, index) }
    }
  }

  private func note(_ committed: CommittedEntry, _ index: Int) {
    for touched in committed.entry.images.objects
    where bootstraps[index].imagesBefore[touched.object] == nil {
      let layout = committed.layout(of: touched.object.table)
      bootstraps[index].imagesBefore[touched.object] = (touched.before, layout)
    }
  }
}
