// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncRules
import FlexSyncServerSupport

/// Makes a file's stream follow what its user may see now (protocol §4.9), either at once or incrementally from a
/// snapshot.
///
/// What has happened since the stream was last extended is placed only to the extent that the user may see it now,
/// and what was placed before and is not delivered is reduced to that extent. Objects that were added in the meantime
/// and that the user may not see are not erased either, because the erasures would reveal their keys.
final class ViewChangeWork: StreamWork {
  let start: StreamWorkStart
  private(set) var hasBegun = false
  private let request: ViewChangeRequest
  private let writer: StreamWriter
  /// A working copy of the file. `finish` transfers its state.
  private let file: LiveFile
  /// The source of the state; nil until the snapshot is taken.
  private var source: StreamSource?
  /// The milliseconds of a monotonic clock.
  private let now: () -> UInt64
  private let isSpread: Bool
  private var course: ViewCourse?
  private var difference: ViewDifference?

  /// - Parameters:
  ///   - file: the live file, which stays unchanged until `finish`.
  ///   - now: the milliseconds of a monotonic clock.
  ///   - isSpread: whether the work is spread over several turns.
  init(
    _ request: ViewChangeRequest,
    in file: LiveFile,
    writer: StreamWriter,
    now: @escaping () -> UInt64,
    isSpread: Bool
  ) {
    start = StreamWorkStart(file, change: request)
    self.request = request
    self.writer = writer
    self.now = now
    self.isSpread = isSpread
    source = isSpread ? nil : writer.source
    self.file = LiveFile(record: file.record, view: file.view, permissions: request.permissions)
    self.file.unfinished = file.unfinished
    self.file.requestedSet = file.requestedSet
  }

  var size: Int { course?.size ?? 0 }

  var holdsSnapshot: Bool { isSpread && source != nil }

  func goOn(_ meter: TurnMeter) throws -> Bool {
    hasBegun = true
    let source = try source ?? takeSnapshot()
    self.source = source
    let course = try course ?? begin(source)
    self.course = course
    guard try course.goOn(meter) else { return false }
    return try placeDifference(course, source, meter)
  }

  deinit { difference?.cancel() }

  private func takeSnapshot() throws -> StreamSource {
    do {
      return try StreamSource(snapshotOf: writer.store, limits: writer.limits.history, schema: writer.schema)
    } catch {
      // Other sessions can continue without this snapshot.
      throw ServerError("could not open the store for another reader: \(error)")
    }
  }

  private func begin(_ source: StreamSource) throws -> ViewCourse {
    if let bootstrap = file.unfinished {
      return try ReplacedBootstrap(bootstrap, in: file, request.permissions, from: source, writer: writer)
    }
    if let version = request.requestedVersion,
      let kept = try writer.store.keptBatches(file: file.ident, queryVersion: version)
    {
      return try ViewAfterKeptBatches(kept, request, in: file, from: source, writer: writer)
    }
    return try FollowedView(request, in: file, from: source, writer: writer)
  }

  /// Places the difference to the new view as ordinary changes, for clients that accept no bootstraps.
  private func placeDifference(_ course: ViewCourse, _ source: StreamSource, _ meter: TurnMeter) throws
    -> Bool
  {
    guard let change = course.change, !request.isBootstrapAllowed else { return true }
    var difference =
      difference
      ?? ViewDifference(from: change.held, to: change.next, sparing: change.unheardObjects, now: now)
    defer { self.difference = difference }
    while let part = try difference.next(
      from: source.objects,
      byteCount: writer.limits.changesetByteCount,
      meter
    ) {
      if !part.changeset.isEmpty {
        try writer.place(changesets: ChangesetCodec.parts(of: part.changeset), in: file)
      }
      if part.isAtEnd { return true }
      if meter.isExhausted { return false }
    }
    return false
  }

  func finish(_ live: LiveFile) throws -> PlacedBootstrap? {
    guard let source, let course else { return nil }
    live.permissions = request.permissions
    live.unfinished = nil
    if let version = request.requestedVersion {
      live.requestedSet = nil
      live.record.queryVersion = version
    }
    live.window = nil
    live.record.streamHead = file.record.streamHead
    live.record.declarationCount = file.record.declarationCount
    live.record.placedVersion = source.history.version
    live.record.passedPermissions = PassedPermissions.noText
    try course.finish(live)
    guard let change = course.change else { return nil }
    // Another query set does not conceal what was placed for the old one.
    if request.requestedVersion == nil {
      try writer.conceal(
        after: request.deliveredVersion,
        through: start.streamHead,
        from: change.next,
        in: live,
        source
      )
    }
    guard request.isBootstrapAllowed else {
      live.follow(change.next)
      return nil
    }
    return try writer.placeBootstrap(
      of: change,
      queryVersion: live.record.queryVersion,
      in: live,
      from: isSpread ? source : nil
    )
  }
}

/// The part of a change of the view that precedes the new view itself.
protocol ViewCourse {
  var size: Int { get }
  /// The change to place when everything else is placed; nil if there is none.
  var change: HeldViewChange? { get }

  /// Places a part.
  ///
  /// - Returns: Whether everything is placed.
  func goOn(_ meter: TurnMeter) throws -> Bool

  /// Makes what was placed take effect.
  func finish(_ live: LiveFile) throws
}

/// A view that replaces what a client has.
struct HeldViewChange {
  let held: HeldView
  let next: View
  /// The views that the client may have received in part, in earlier bootstraps.
  var begun = BegunViews()
  /// Objects of the views that the client has never received.
  var unheardObjects: Set<ObjectReference> = []
  /// Objects that the difference between the two does not cover, and that are sent in full, or erased.
  var replacedObjects: Set<ObjectReference> = []

  /// All views that the client may have something of, or will have.
  var views: [View] { [held.sure, next] + held.possible }
}

/// The history since a stream was last extended, to the extent that the user may see it now.
final class FollowedView: ViewCourse {
  let next: View
  private let file: LiveFile
  private let stretch: Stretch
  private let writer: StreamWriter

  init(_ request: ViewChangeRequest, in file: LiveFile, from source: StreamSource, writer: StreamWriter)
    throws
  {
    self.file = file
    self.writer = writer
    let names = try writer.schema.view(body: request.query).queriedClassNames
    let permissions = ViewPermissions(request.permissions, of: names)
    next = try writer.schema.view(body: request.query, permissions: permissions.text)
    var change = ViewChange(from: file.view, to: next)
    change.passed = try writer.passedViews(of: file)
    stretch = Stretch(change, after: file.record.placedVersion, from: source)
  }

  var size: Int { stretch.size }

  var change: HeldViewChange? {
    let unheard = stretch.unheardObjects
    var begun = BegunViews()
    if !unheard.isEmpty { begun.note([file.view.identity], at: file.record.placedVersion) }
    return HeldViewChange(held: HeldView(file.view), next: next, begun: begun, unheardObjects: unheard)
  }

  func goOn(_ meter: TurnMeter) throws -> Bool { try stretch.goOn(meter) { try writer.place($0, in: file) } }

  func finish(_ live: LiveFile) { live.presentedQuery = nil }
}
