// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// Incrementally extends the stream of a file over a stretch of history that is too long for one turn.
///
/// The stretch is read twice, because the fate of an object is known only at the end. It may grow in the meantime.
final class CatchUp: StreamWork {
  let start: StreamWorkStart
  private let writer: StreamWriter
  /// A working copy of the file. `finish` transfers its state.
  private let file: LiveFile
  private let change: ViewChange
  private var courses = StreamCourses()
  /// The version up to which the courses are noted.
  private var notedVersion: UInt64

  /// - Parameter file: a file whose stream is extended to `record.placedVersion`.
  init(_ file: LiveFile, writer: StreamWriter) throws {
    start = StreamWorkStart(file)
    self.writer = writer
    self.file = LiveFile(record: file.record, view: file.view, permissions: file.permissions)
    var change = ViewChange(file.view)
    change.passed = try writer.passedViews(of: file)
    self.change = change
    notedVersion = start.placedVersion
  }

  var hasBegun: Bool { notedVersion > start.placedVersion }

  var size: Int { courses.count }

  var holdsSnapshot: Bool { false }

  /// - Returns: Whether the stream is extended to the newest version.
  func goOn(_ meter: TurnMeter) throws -> Bool {
    guard try noteCourses(meter) else { return false }
    while file.record.placedVersion < writer.history.version {
      try placePiece(meter)
      if meter.isExhausted { break }
    }
    return file.record.placedVersion == writer.history.version
  }

  /// Notes the courses of the objects. Nothing is placed before all are noted, because the entries to place depend on
  /// the current state.
  ///
  /// - Returns: Whether the courses are noted up to the newest version.
  private func noteCourses(_ meter: TurnMeter) throws -> Bool {
    while case let piece = try writer.history.piece(after: notedVersion, isSmall: true), let last = piece.last
    {
      courses.note(change.touches(in: piece), for: change.view)
      notedVersion = last.entry.version
      meter.count(piece)
      if meter.isExhausted { break }
    }
    return notedVersion == writer.history.version
  }

  private func placePiece(_ meter: TurnMeter) throws {
    let piece = try writer.history.piece(after: file.record.placedVersion, isSmall: true)
    guard let last = piece.last else { return }
    let touches = change.touches(in: piece)
    try courses.compare(touches, with: writer.source.objects)
    for planned in try StreamPlanner.plan(touches, courses, for: file.view, from: writer.source) {
      try writer.place(planned, in: file)
    }
    courses.notePlaced(touches)
    file.record.placedVersion = last.entry.version
    meter.count(piece)
  }

  func finish(_ live: LiveFile) -> PlacedBootstrap? {
    live.record.streamHead = file.record.streamHead
    live.record.placedVersion = file.record.placedVersion
    live.record.declarationCount = file.record.declarationCount
    live.record.passedPermissions = PassedPermissions.noText
    return nil
  }
}
