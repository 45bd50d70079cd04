// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

// Taking back a bootstrap that the client has not received in full (protocol §4.3, §5.3).

extension StreamWriter {
  /// Takes back what was placed from an unfinished bootstrap on, and places what has happened since for the old view, as
  /// far as the user may see it now.
  ///
  /// The client has its own uploads as it made them, while the server merged them with entries that are now gone. For
  /// objects that were in all views throughout, what merging has left of these entries is placed again: it follows on
  /// what the client has, and goes together with what the client has not uploaded yet. Other objects that were uploaded
  /// since are sent whole, or erased, which no concurrent change survives (protocol §5.3, "Regenerating"). So are those of
  /// which the client may have applied a part of the bootstrap.
  ///
  /// - Parameter version: that of the bootstrap, from which on nothing has reached the client; the stream is extended to
  ///   now.
  func replaceUnfinishedBootstrap(_ record: BootstrapRecord, version: UInt64, in file: LiveFile) throws {
    // The errors of dropped entries have not reached the client.
    let rejection = try store.rejections(file: file.ident, from: version).map(Rejection.init(text:)).reduce(
      nil,
      Rejection.joined
    )
    let rejected = rejection?.objects ?? []
    let oldView = try schema.view(body: record.oldQuery, permissions: record.oldPermissions)
    let begun = try objectsBegun(by: record, from: oldView, in: file)
    let uploaded = try objectsUploaded(since: record, version: version, by: file).union(rejected).union(begun)
    let allowed = ViewPermissions(file.permissions, of: oldView.queriedClassNames)
    let next = try schema.view(body: record.oldQuery, permissions: allowed.text)
    let bootstraps = try bootstraps(from: version, file)
    let views =
      try [oldView, next]
      + bootstraps.map { bootstrap in
        try schema.view(body: bootstrap.query, permissions: bootstrap.permissions)
      }
    let kept = try objectsInAllViews(
      uploaded.subtracting(rejected).subtracting(begun),
      views,
      since: record.placedVersion
    )
    var change = ViewChange(from: oldView, to: next, schema: schema)
    change.passed = try passedViews(takingBack: bootstraps, to: oldView, file)
    var leftovers = try self.leftovers(of: kept, from: version, file)[...]
    try store.dropStream(file: file.ident, from: version)
    file.window = nil
    file.follow(oldView)
    file.record.declarationCount = 0
    try placePurge(in: file)
    try planner.plan(
      change,
      after: record.placedVersion,
      excluding: file.ident,
      skipping: uploaded
    ) { planned in
      while let leftover = leftovers.first, leftover.version < planned.version {
        try place(leftovers.removeFirst(), in: file)
      }
      // What comes from one version stays together, so that a transaction stays whole.
      let isJoined = leftovers.first?.version == planned.version
      try place(isJoined ? planned.joined(with: leftovers.removeFirst()) : planned, in: file)
    }
    for leftover in leftovers { try place(leftover, in: file) }
    try placeWhole(uploaded.subtracting(kept), rejection, in: file, next)
    file.record.placedVersion = history.version
    file.record.passedPermissions = PassedPermissions.noText
    let followed = try permissions(after: record, oldView, allowed)
    file.follow(try schema.view(body: record.oldQuery, permissions: followed.text))
  }

  /// What the client has been shown when a bootstrap is taken back: the old permissions, marked where what was placed
  /// before the bootstrap, or now in its place, was already limited by others. If the old ones come into force again,
  /// the client has to get what it missed.
  private func permissions(after record: BootstrapRecord, _ oldView: View, _ allowed: ViewPermissions) throws
    -> ViewPermissions
  {
    let newView = try schema.view(body: record.query, permissions: record.permissions)
    let inBoth = oldView.queriedClassNames.filter(newView.queriedClassNames.contains)
    return try ViewPermissions(text: record.oldPermissions)
      .unsettled(by: ViewPermissions(text: record.permissions), of: inBoth)
      .unsettled(by: allowed, of: oldView.queriedClassNames)
  }

  /// The objects that the client may have changed already, by a bootstrap of which it has not all.
  ///
  /// It forgets the batches of such a bootstrap when one of another version comes. Those of the active version, which
  /// change what the user may see, it keeps, and applies them with the purge (protocol §4.3, §4.9).
  private func objectsBegun(by record: BootstrapRecord, from oldView: View, in file: LiveFile) throws
    -> Set<ObjectReference>
  {
    guard record.queryVersion == file.record.queryVersion else { return [] }
    let newView = try schema.view(body: record.query, permissions: record.permissions)
    var objects: Set<ObjectReference> = []
    var difference = ViewDifference(from: oldView, to: newView)
    let limit = limits.changesetByteCount
    let meter = TurnMeter.unlimited()
    while let (instructions, isAtEnd) = try difference.next(from: store.objects, byteCount: limit, meter) {
      for case .eraseObject(let object) in instructions { objects.insert(object) }
      if isAtEnd { break }
    }
    // What was written since may have been in it as well.
    try history.forEachPiece(after: record.placedVersion) { piece in
      for committed in piece {
        for touched in committed.entry.images.objects
        where newView.mayHaveBroughtOrTaken(touched, of: committed, after: oldView) {
          objects.insert(touched.object)
        }
      }
    }
    return objects
  }

  private func objectsUploaded(
    since record: BootstrapRecord,
    version: UInt64,
    by file: LiveFile
  ) throws -> Set<ObjectReference> {
    var objects: Set<ObjectReference> = []
    try history.forEachPiece(after: record.placedVersion) { piece in
      for committed in piece where committed.entry.stamp.fileIdent == file.ident {
        objects.formUnion(committed.entry.images.objects.map(\.object))
      }
    }
    for reciprocal in try store.objectReciprocals(file: file.ident) where reciprocal.version >= version {
      objects.insert(reciprocal.object)
    }
    return objects
  }

  /// The bootstraps that are dropped.
  private func bootstraps(from version: UInt64, _ file: LiveFile) throws -> [BootstrapRecord] {
    var records: [BootstrapRecord] = []
    var last = version - 1
    while let bootstrap = try store.firstBootstrap(file: file.ident, after: last) {
      records.append(bootstrap.record)
      last = bootstrap.version
    }
    return records
  }

  /// Those of the objects that are in all views, were for as long as they were there since a version, and of which all
  /// views show the same.
  private func objectsInAllViews(
    _ objects: Set<ObjectReference>,
    _ views: [View],
    since version: UInt64
  ) throws -> Set<ObjectReference> {
    guard !objects.isEmpty, let first = views.first else { return [] }
    func isInAll(_ image: ObjectImage?, _ className: String, _ layout: ImageLayout) -> Bool {
      views.allSatisfy { $0.surelyContains(image, className: className, layout: layout) }
    }
    var kept = try objects.filter { object in
      guard views.allSatisfy({ $0.showsTheSame(of: object.table, as: first) }) else { return false }
      return isInAll(try schema.image(of: object), object.table, schema.layout(of: object.table))
    }
    try history.forEachPiece(after: version) { piece in
      for committed in piece {
        for touched in committed.entry.images.objects where kept.contains(touched.object) {
          let layout = committed.layout(of: touched.object.table)
          let isSeen = [touched.before, touched.after].allSatisfy { image in
            image == nil || isInAll(image, touched.object.table, layout)
          }
          if !isSeen { kept.remove(touched.object) }
        }
      }
    }
    return kept
  }

  /// What merging with the client's uploads has left of entries for some objects, in the order of the history.
  private func leftovers(
    of objects: Set<ObjectReference>,
    from version: UInt64,
    _ file: LiveFile
  ) throws -> [PlannedEntry] {
    guard !objects.isEmpty else { return [] }
    var reciprocals: [UInt64: [ObjectReference: [Instruction]]] = [:]
    for reciprocal in try store.objectReciprocals(file: file.ident) where objects.contains(reciprocal.object)
    {
      reciprocals[reciprocal.version, default: [:]][reciprocal.object] =
        try ChangesetCodec.decode(reciprocal.changeset).instructions
    }
    var leftovers: [PlannedEntry] = []
    try store.forEachStreamEntry(file: file.ident, after: version - 1) { entry in
      guard case .steady(let historyVersion?) = entry.kind else { return }
      let groups = ObjectGroups(try ChangesetCodec.decode(entry.changeset).instructions)
      let instructions = groups.objects.filter(objects.contains).flatMap { object in
        reciprocals[entry.version]?[object] ?? groups.instructions(of: object)
      }
      guard !instructions.isEmpty else { return }
      let changeset = ChangesetCodec.encode(instructions)
      let leftover = PlannedEntry(version: historyVersion, stamp: entry.stamp, changeset: changeset)
      // A long one may have been placed in parts.
      let isPart = leftovers.last?.version == historyVersion
      leftovers.append(isPart ? try leftovers.removeLast().joined(with: leftover) : leftover)
    }
    return leftovers
  }

  /// Places objects as they are if they are in view, and their erasure if they are not.
  private func placeWhole(
    _ objects: Set<ObjectReference>,
    _ rejection: Rejection?,
    in file: LiveFile,
    _ view: View
  ) throws {
    guard !objects.isEmpty || rejection != nil else { return }
    var instructions: [Instruction] = []
    for object in objects.sorted(by: { "\($0.table) \($0.key)" < "\($1.table) \($1.key)" }) {
      instructions += try currentState(of: object, in: view)
    }
    try place(instructions, in: file, rejection: rejection)
  }
}

extension View {
  /// Whether a bootstrap of this view may have sent or erased an object, as it was before or after it was written.
  fileprivate func mayHaveBroughtOrTaken(
    _ touched: TouchedObject,
    of committed: CommittedEntry,
    after oldView: View
  ) -> Bool {
    let className = touched.object.table
    guard selects(from: className) || oldView.selects(from: className) else { return false }
    let layout = committed.layout(of: className)
    let canTell = [self, oldView].allSatisfy {
      !$0.selects(from: className) || $0.canTell(className: className, layout: layout)
    }
    guard canTell else { return true }
    let showsOther = !showsTheSame(of: className, as: oldView)
    return [touched.before, touched.after].contains { image in
      let isIn = contains(image, className: className, layout: layout)
      return isIn
        ? showsOther || !oldView.contains(image, className: className, layout: layout)
        : oldView.contains(image, className: className, layout: layout)
    }
  }
}

extension PlannedEntry {
  /// This and more of the same version as one entry.
  fileprivate func joined(with other: PlannedEntry) throws -> PlannedEntry {
    let instructions =
      try ChangesetCodec.decode(changeset).instructions + ChangesetCodec.decode(other.changeset).instructions
    return PlannedEntry(version: version, stamp: stamp, changeset: ChangesetCodec.encode(instructions))
  }
}
