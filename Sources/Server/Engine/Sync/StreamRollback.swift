// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

/// Takes back what was placed from a bootstrap on that the client has not received in full, and places what has happened
/// since for what the client has, as far as the user may see it now (protocol §4.3, §5.3): a part at a time. What it places
/// comes behind the end of the stream; what is taken back stays until `finish`.
///
/// The client has its own uploads as it made them, while the server merged them with entries that go now. For objects that
/// were in all views throughout, what merging has left of these entries is placed again: it follows on what the client
/// has, and goes together with what the client has not uploaded yet. Other objects that were uploaded since are sent
/// whole, or erased, which no concurrent change survives (protocol §5.3, "Regenerating entries").
final class StreamRollback {
  /// What the client has, and what it is to have.
  struct Views {
    /// It has all objects of this one.
    let held: View
    let next: View
    /// Objects that it may have otherwise than `held` says.
    var begun: Set<ObjectReference> = []
    /// Those of them that are to be sent whole, or erased.
    var replaced: Set<ObjectReference> = []
  }

  private enum Step { case uploads, leftovers, stretch, whole, end }

  private let version: UInt64
  private let record: BootstrapRecord
  private let views: Views
  private let source: StreamSource
  private let writer: StreamWriter
  /// The file as it is to be.
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
  ///   - version: that of the bootstrap.
  ///   - file: as it is; it becomes what it is to be.
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
    rejection = try store.rejections(file: file.ident, from: version).map(Rejection.init(text:)).reduce(
      nil,
      Rejection.joined
    )
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
      // What they showed is not known any more.
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

  /// How many objects are tracked in memory.
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
        try leftovers.takeRest().forEach { try writer.place($0, in: file) }
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

  /// Drops what is taken back.
  func finish(_ live: LiveFile) throws {
    try writer.store.dropStream(file: live.ident, from: version, through: oldHead)
    live.follow(oldView)
  }

  private func begin() throws {
    // What is not in the stream yet is planned for the kept objects as well.
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
    for leftover in leftovers.take(before: planned.version) { try writer.place(leftover, in: file) }
    // What comes from one version stays together, so that a transaction stays whole.
    let leftover = leftovers.take(at: planned.version)
    try writer.place(leftover.map(planned.joined) ?? planned, in: file)
  }

  private static let wholeObjectsAtATime = 16

  /// Places objects as they are if they are in view, and their erasure if they are not.
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
      let instructions = try part.flatMap { try writer.currentState(of: $0, in: views.next, from: source) }
      // What is rejected is taken back when the last part is integrated.
      try writer.place(instructions, in: file, rejection: rest.isEmpty ? rejection : nil)
      meter.count(steps: part.count)
      if meter.isExhausted { return rest.isEmpty }
    }
    return true
  }
}
