// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

// Taking back a bootstrap that the client has not received in full (protocol §4.3, §5.3).

extension StreamWriter {
  /// Takes back what was placed from an unfinished bootstrap on, and places what has happened since for what the client
  /// has, as far as the user may see it now.
  ///
  /// The client has its own uploads as it made them, while the server merged them with entries that are now gone. For
  /// objects that were in all views throughout, what merging has left of these entries is placed again: it follows on
  /// what the client has, and goes together with what the client has not uploaded yet. Other objects that were uploaded
  /// since are sent whole, or erased, which no concurrent change survives (protocol §5.3, "Regenerating").
  ///
  /// - Parameters:
  ///   - version: that of the bootstrap.
  ///   - held: of which the client has all objects.
  ///   - next: what it is to have.
  ///   - begun: objects that the client may have otherwise than `held` says.
  ///   - replaced: those of them that are to be sent whole, or erased.
  func takeBackStream(
    from version: UInt64,
    _ record: BootstrapRecord,
    in file: LiveFile,
    held: View,
    next: View,
    begun: Set<ObjectReference> = [],
    replaced: Set<ObjectReference> = []
  ) throws {
    // The errors of dropped entries have not reached the client.
    let rejection = try store.rejections(file: file.ident, from: version).map(Rejection.init(text:)).reduce(
      nil,
      Rejection.joined
    )
    let rejected = rejection?.objects ?? []
    let uploaded = try objectsUploaded(since: record, version: version, by: file).union(rejected)
    let bootstraps = try bootstraps(from: version, file)
    let kept = try objectsKept(
      of: uploaded.subtracting(rejected).subtracting(begun),
      [held, next],
      bootstraps,
      since: record.placedVersion,
      in: file
    )
    let oldView = try schema.view(body: record.oldQuery, permissions: record.oldPermissions)
    var change = ViewChange(from: held, to: next, schema: schema)
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
      skipping: uploaded.union(begun)
    ) { planned in
      while let leftover = leftovers.first, leftover.version < planned.version {
        try place(leftovers.removeFirst(), in: file)
      }
      // What comes from one version stays together, so that a transaction stays whole.
      let isJoined = leftovers.first?.version == planned.version
      try place(isJoined ? planned.joined(with: leftovers.removeFirst()) : planned, in: file)
    }
    for leftover in leftovers { try place(leftover, in: file) }
    try placeWhole(uploaded.subtracting(kept).union(replaced), rejection, in: file, next)
    file.record.placedVersion = history.version
    file.record.passedPermissions = PassedPermissions.noText
  }

  /// Of the objects that were uploaded since a version, those that were in all views throughout.
  ///
  /// - Parameters:
  ///   - views: from before the bootstraps that are dropped, and from after them.
  ///   - bootstraps: what is dropped.
  private func objectsKept(
    of uploaded: Set<ObjectReference>,
    _ views: [View],
    _ bootstraps: [BootstrapRecord],
    since version: UInt64,
    in file: LiveFile
  ) throws -> Set<ObjectReference> {
    guard !uploaded.isEmpty else { return [] }
    // What was placed and what was not yet is then treated alike.
    let passed = file.record.passedPermissions
    try extend(file)
    file.record.passedPermissions = passed
    do {
      let dropped = try bootstraps.map { try schema.view(body: $0.query, permissions: $0.permissions) }
      return try objectsInAllViews(uploaded, views + dropped, since: version)
    } catch is QuerySetRefusal {
      // What they showed is not known any more.
      return []
    }
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

  private static let wholeObjectsAtATime = 256

  /// Places objects as they are if they are in view, and their erasure if they are not.
  private func placeWhole(
    _ objects: Set<ObjectReference>,
    _ rejection: Rejection?,
    in file: LiveFile,
    _ view: View
  ) throws {
    guard !objects.isEmpty || rejection != nil else { return }
    let sorted = objects.map { (name: "\($0.table) \($0.key)", object: $0) }.sorted { $0.name < $1.name }
    var instructions: [Instruction] = []
    for (number, object) in sorted.map(\.object).enumerated() {
      if number > 0, number.isMultiple(of: StreamWriter.wholeObjectsAtATime) {
        try place(instructions, in: file)
        instructions = []
      }
      instructions += try currentState(of: object, in: view)
    }
    try place(instructions, in: file, rejection: rejection)
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
