// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncStore

/// A bootstrap that has just been placed, and what it has to deliver.
struct PlacedBootstrap {
  let version: UInt64
  /// The declarations that the client has not received yet.
  let declarations: [Instruction]
  let change: HeldViewChange
  /// The source to read from; nil for the state that the current transaction commits.
  let snapshot: StreamSource?
}

/// Places entries in the streams of client files (protocol §5.3). Must be used inside a write.
final class StreamWriter {
  /// The current state.
  let source: StreamSource
  var store: ServerStore { source.store }
  var schema: AppSchema { source.schema }
  var history: CommittedHistory { source.history }
  let planner: StreamPlanner
  let views: LiveViews
  let limits: DeliveryLimits
  let clock: WallClock

  init(source: StreamSource, views: LiveViews, limits: DeliveryLimits, clock: WallClock) {
    self.source = source
    planner = StreamPlanner(source)
    self.views = views
    self.limits = limits
    self.clock = clock
  }

  /// The stamp for what the server itself writes now.
  var serverStamp: OriginStamp {
    OriginStamp(timestamp: clock.wireTimestamp, fileIdent: ClientFileRecord.serverIdent)
  }

  /// Extends a stream to the newest version: places what has happened since for the file's view.
  func extend(_ file: LiveFile) throws {
    let from = views.placedVersion(of: file)
    guard from < history.version else { return advance(file) }
    let passed = try passedViews(of: file)
    if let live = file.liveView, passed.isEmpty, try views.read() {
      let touches = live.touches(after: from)
      if !touches.isEmpty {
        for planned in try planner.plan(live.view, after: from, touches: touches) {
          try place(planned, in: file)
        }
      }
    } else {
      // The file need not wait until the history has been matched with all other views.
      views.remove(file)
      try planner.plan(file.view, passed: passed, after: from) { try place($0, in: file) }
    }
    advance(file)
  }

  /// Notes that the stream covers the history up to the newest version. This is not worth a write of its own:
  /// planning the same stretch again yields nothing again.
  private func advance(_ file: LiveFile) {
    let wasDirty = file.isDirty || file.record.passedPermissions != PassedPermissions.noText
    file.record.placedVersion = history.version
    file.record.passedPermissions = PassedPermissions.noText
    file.isDirty = wasDirty
  }

  /// Places instructions as an entry of the server's own.
  ///
  /// - Parameter rejection: the error that accompanies the entry.
  func place(_ instructions: [Instruction], in file: LiveFile, rejection: Rejection? = nil) throws {
    try place(changesets: ChangesetCodec.encodeInParts(instructions), in: file, rejection: rejection)
  }

  /// Places changesets as entries of the server's own.
  ///
  /// - Parameter rejection: the error that accompanies the last entry.
  func place(changesets: [[UInt8]], in file: LiveFile, rejection: Rejection? = nil) throws {
    for changeset in changesets.dropLast() { try placeOwn(changeset, in: file) }
    // The rejected writes are reverted when the last part is integrated.
    try placeOwn(changesets.last ?? [], in: file, rejection: rejection)
  }

  /// Places an entry of the server's own that has been placed before, with its original stamp.
  func placeAgain(_ entry: PlannedEntry, in file: LiveFile) throws {
    try placeOwn(entry.changeset, stamp: entry.stamp, in: file)
  }

  private func placeOwn(
    _ changeset: [UInt8],
    stamp: OriginStamp? = nil,
    in file: LiveFile,
    rejection: Rejection? = nil
  ) throws {
    try declare(in: file)
    let stamp = stamp ?? serverStamp
    try insert(.steady(historyVersion: nil), changeset, stamp: stamp, in: file, rejection: rejection)
  }

  /// Places an entry that a version of the history yields for the file.
  func place(_ planned: PlannedEntry, in file: LiveFile) throws {
    try declare(in: file)
    let kind = StreamEntry.Kind.steady(historyVersion: planned.version)
    try insert(kind, planned.changeset, stamp: planned.stamp, in: file)
  }

  /// Places the declarations that the client has not received yet.
  private func declare(in file: LiveFile) throws {
    guard file.record.declarationCount < schema.declarationCount else { return }
    let declarations = try store.declarations(after: file.record.declarationCount)
    try insert(
      .steady(historyVersion: nil),
      ChangesetCodec.encode(declarations),
      stamp: serverStamp,
      in: file
    )
    file.record.declarationCount = schema.declarationCount
  }

  /// Places the bootstrap of the empty set, which is version 0, at the start of a file's stream. It contains the
  /// schema, so that a client that declares no classes knows them before it subscribes to any.
  func placeInitialBootstrap(in file: LiveFile) throws {
    let declarations = try store.declarations(after: 0)
    file.record.declarationCount = schema.declarationCount
    try placeInlineBootstrap(
      ChangesetCodec.encode(declarations),
      queryVersion: file.record.queryVersion,
      in: file
    )
  }

  /// Places an empty bootstrap of the active query version, which makes the client discard the batches of an
  /// interrupted one (protocol §4.3, the purge trick).
  func placePurge(in file: LiveFile) throws {
    try placeInlineBootstrap([], queryVersion: file.record.queryVersion, in: file)
  }

  private func placeInlineBootstrap(_ changeset: [UInt8], queryVersion: UInt64, in file: LiveFile) throws {
    try insert(.inlineBootstrap(queryVersion: queryVersion), changeset, stamp: serverStamp, in: file)
  }

  /// Places the bootstrap of a new view, which the stream then follows. The stream must be extended to the version of
  /// the source.
  ///
  /// - Parameters:
  ///   - queryVersion: the version of the new query set, or of the active one if only permissions have changed
  ///     (protocol §4.9).
  ///   - snapshot: the source to read from; nil for the current state.
  func placeBootstrap(
    of change: HeldViewChange,
    queryVersion: UInt64,
    in file: LiveFile,
    from snapshot: StreamSource? = nil
  ) throws -> PlacedBootstrap {
    CrashPoint.reached(.serverBeforeQueryChange)
    defer { CrashPoint.reached(.serverAfterQueryChange) }
    let placed = PlacedBootstrap(
      version: file.record.streamHead + 1,
      declarations: try store.declarations(after: file.record.declarationCount),
      change: change,
      snapshot: snapshot
    )
    let placedVersion = (snapshot ?? source).history.version
    var record = BootstrapRecord(
      placedVersion: placedVersion,
      oldQuery: file.view.body,
      query: change.next.body,
      queryVersion: queryVersion
    )
    record.oldPermissions = file.view.identity.permissions
    record.permissions = change.next.identity.permissions
    record.begun = change.begun.text
    record.neededVersion = change.begun.firstVersion ?? placedVersion
    try insert(.bootstrap(record), [], stamp: serverStamp, in: file)
    file.record.declarationCount = schema.declarationCount
    file.record.queryVersion = queryVersion
    file.record.placedVersion = placedVersion
    file.follow(change.next)
    return placed
  }

  private func insert(
    _ kind: StreamEntry.Kind,
    _ changeset: [UInt8],
    stamp: OriginStamp,
    in file: LiveFile,
    rejection: Rejection? = nil
  ) throws {
    CrashPoint.reached(.serverBeforeEviction, if: ChangesetCodec.takesObjectsAway(changeset))
    file.record.streamHead += 1
    var entry = StreamEntry(
      version: file.record.streamHead,
      kind: kind,
      base: file.record.uploadClientVersion,
      stamp: stamp,
      changeset: changeset
    )
    entry.rejection = rejection?.text
    try store.insert(entry, file: file.ident)
    try file.window?.add(entry, after: entry.version - 1)
    CrashPoint.reached(.serverAfterEviction, if: ChangesetCodec.takesObjectsAway(changeset))
  }
}

extension View {
  /// Returns the instructions that give a client with this view the object in its current state: everything that the
  /// view shows of it, or its erasure.
  func currentState(of object: ObjectReference, in store: ServerStore, _ schema: AppSchema) throws
    -> [Instruction]
  {
    let image = try schema.image(of: object, in: store.objects)
    guard contains(image, className: object.table, layout: schema.layout(of: object.table)) else {
      return [.eraseObject(object)]
    }
    return visible(try store.wholeState(of: object))
  }
}
