// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

/// Incrementally rolls back a stream to the point before a bootstrap that the client has not received in full. Then
/// places the history since that point for the objects that the client has, to the extent that the user may see it
/// now (protocol §4.3, §5.3). New entries are placed beyond the end of the stream; the dropped ones stay until
/// `finish`.
///
/// The client has its own uploads as it made them, whereas the server merged them with entries that are now dropped.
/// For objects that were in all views throughout, the remains of these entries after merging are placed again: they
/// build on what the client has, and are compatible with what it has not uploaded yet. Other objects that were
/// uploaded since are sent in full, or erased, which no concurrent change survives (protocol §5.3, "Regenerating
/// entries").
final class StreamRollback {
  /// The view that the client has, and the one that it will have.
  struct Views {
    /// The view all of whose objects the client has.
    let held: View
    let next: View
    /// Objects whose state on the client may differ from what `held` says.
    var begun: Set<ObjectReference> = []
    /// The subset of `begun` that must be sent in full, or erased.
    var replaced: Set<ObjectReference> = []
  }

  private enum Step { case uploads, leftovers, stretch, whole, end }

  private let version: UInt64
  private let record: BootstrapRecord
  private let views: Views
  private let source: StreamSource
  private let writer: StreamWriter
  /// A working copy of the file.
  private let file: LiveFile
  private let oldHead: UInt64
  private let oldView: View
  private let rejection: Rejection?
  private let uploads: UploadedObjects
  private let stretchChange: ViewChange
  private var step = Step.uploads
  private var leftovers: Leftovers
  private var stretch: Stretch?
  private var whole: ArraySlice<ObjectReference>?

  /// - Parameters:
  ///   - version: the version of the bootstrap in the stream.
  ///   - file: a working copy of the file, which receives the new state.
  init(
    _ record: BootstrapRecord,
    at version: UInt64,
    in file: LiveFile,
    _ views: Views,
    from source: StreamSource,
    writer: StreamWriter
  ) throws {
    (self.version, self.record, self.views) = (version, record, views)
    (self.source, self.writer, self.file) = (source, writer, file)
    oldHead = file.record.streamHead
    let (store, schema) = (writer.store, writer.schema)
    // The errors of dropped entries have not reached the client.
    rejection = try store.rejections(file: file.ident, from: version).reduce(nil) {
      Rejection.joined($0, try Rejection(text: $1, storedIn: store.database.path))
    }
    let rejected = Set(rejection?.objects ?? [])
    let bootstraps = try store.bootstraps(file: file.ident, from: version)
    oldView = try schema.view(body: record.oldQuery, permissions: record.oldPermissions)
    var change = ViewChange(from: views.held, to: views.next)
    change.passed = try writer.passedViews(takingBack: bootstraps, to: oldView, file)
    stretchChange = change
    let reciprocals = try store.objectReciprocals(file: file.ident).filter { $0.version >= version }
    let base = try store.streamEntry(file: file.ident, version: version)?.base
    let dropped: [View]?
    do {
      dropped = try bootstraps.map { try schema.view(body: $0.query, permissions: $0.permissions) }
    } catch is QuerySetRefusal {
      // It is no longer known what they showed.
      dropped = nil
    }
    uploads = UploadedObjects(
      since: record.placedVersion,
      by: file.record,
      known: rejected.union(reciprocals.map(\.object)),
      hasUploaded: base != file.record.uploadClientVersion,
      in: dropped.map { [views.held, views.next] + $0 },
      excluding: rejected.union(views.begun),
      from: source
    )
    leftovers = Leftovers(of: file.record, from: version)
  }

  /// The number of objects tracked in memory.
  var size: Int { views.begun.count + uploads.all.count + (stretch?.size ?? 0) }

  /// - Returns: Whether everything is placed.
  func goOn(_ meter: TurnMeter) throws -> Bool {
    while step != .end {
      switch step {
      case .uploads:
        guard try uploads.goOn(meter) else { return false }
        step = .leftovers
      case .leftovers:
        guard try leftovers.read(of: uploads.kept, from: writer.store, meter) else { return false }
        try begin()
        step = .stretch
      case .stretch:
        guard try stretch?.goOn(meter, place) ?? true else { return false }
        try leftovers.takeRest().forEach(place)
        step = .whole
      case .whole:
        guard try placeWhole(meter) else { return false }
        step = .end
      case .end: break
      }
      if meter.isExhausted { break }
    }
    return step == .end
  }

  /// Drops the entries that are rolled back, and makes the stream follow the old view again.
  func finish(_ live: LiveFile) throws {
    try writer.store.dropStream(file: live.ident, from: version, through: oldHead)
    live.follow(oldView)
  }

  private func begin() throws {
    // History that the stream does not cover yet is planned for the kept objects, too.
    let exceptions = Stretch.Exceptions(
      author: file.ident,
      objects: uploads.all.subtracting(uploads.kept).union(views.begun),
      objectsAtFirst: uploads.kept,
      firstVersion: file.record.placedVersion
    )
    file.window = nil
    file.follow(oldView)
    file.record.declarationCount = 0
    try writer.placePurge(in: file)
    stretch = Stretch(stretchChange, after: record.placedVersion, from: source, exceptions: exceptions)
  }

  private func place(_ planned: PlannedEntry) throws {
    try leftovers.take(before: planned.version).forEach(place)
    // Entries from one version stay together, so that a transaction is not split.
    let leftover = leftovers.take(at: planned.version)
    try writer.place(leftover.map(planned.joined) ?? planned, in: file)
  }

  private func place(_ leftover: Leftovers.Leftover) throws {
    if leftover.isServers {
      try writer.placeAgain(leftover.planned, in: file)
    } else {
      try writer.place(leftover.planned, in: file)
    }
  }

  private static let wholeObjectsAtATime = 16

  /// Places objects in their current state if they are in view, and their erasure if they are not.
  private func placeWhole(_ meter: TurnMeter) throws -> Bool {
    var rest =
      whole
      ?? uploads.all.subtracting(uploads.kept).union(views.replaced)
      .map { (name: "\($0.table) \($0.key)", object: $0) }.sorted { $0.name < $1.name }.map(\.object)[...]
    if whole == nil, rest.isEmpty, let rejection { try writer.place([], in: file, rejection: rejection) }
    defer { whole = rest }
    while !rest.isEmpty {
      let part = rest.prefix(StreamRollback.wholeObjectsAtATime)
      rest = rest.dropFirst(part.count)
      let instructions = try part.flatMap {
        try views.next.currentState(of: $0, in: source.store, source.schema)
      }
      // The rejected writes are reverted when the last part is integrated.
      try writer.place(instructions, in: file, rejection: rest.isEmpty ? rejection : nil)
      meter.count(steps: part.count)
      if meter.isExhausted { return rest.isEmpty }
    }
    return true
  }
}
