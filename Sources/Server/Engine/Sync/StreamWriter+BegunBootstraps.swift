// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

// Bootstraps that the client does not have in full (see `UnfinishedBootstrap`).

extension StreamWriter {
  /// Places another bootstrap in the place of one that the client does not have in full: from whatever the client may have
  /// to what the user may see now. The stream then follows that. There is no need for one if the client drops what it has,
  /// and its user may see the same as before.
  ///
  /// What is certain stays: the client gets the changes of objects that were in all views that it was sent, and keeps what
  /// it has written to them. All others of the new view are sent whole.
  ///
  /// - Parameters:
  ///   - deliveredVersion: up to which version of its stream the client has been sent everything.
  ///   - isBootstrapAllowed: as for `follow`.
  /// - Throws: `SessionFailure` if the client has to start over.
  func replace(
    _ bootstrap: UnfinishedBootstrap,
    in file: LiveFile,
    deliveredVersion: UInt64,
    isBootstrapAllowed: Bool
  ) throws -> PlacedBootstrap? {
    let record = bootstrap.record
    guard try record.neededVersion >= HistoryFloor(store: store).version else {
      throw SessionFailure.historyIsGone
    }
    views.remove(file)
    let held = try schema.held(after: bootstrap)
    let names = try schema.view(body: record.oldQuery).queriedClassNames
    let allowed = ViewPermissions(file.permissions, of: names)
    let next = try schema.view(body: record.oldQuery, permissions: allowed.text)
    if !bootstrap.isKept, UTF8Order.areEqual(allowed.text, record.oldPermissions) {
      try takeBackStream(from: bootstrap.version, record, in: file, held: next, next: next)
      return nil
    }
    let written = try objectsWritten(since: record, bootstrap.begun, held, next)
    try takeBackStream(
      from: bootstrap.version,
      record,
      in: file,
      held: held.sure,
      next: next,
      begun: written.begun,
      replaced: written.begun.filter { try isMissed($0, from: held, to: next) }
    )
    try conceal(after: deliveredVersion, from: next, in: file)
    guard isBootstrapAllowed else {
      try placeDifference(of: next, in: file, held: held, unheardObjects: written.unheard)
      return nil
    }
    return try placeBootstrap(
      of: next,
      queryVersion: file.record.queryVersion,
      in: file,
      held: held,
      begun: bootstrap.begun,
      unheardObjects: written.unheard
    )
  }

  /// Whether the difference to the next view says nothing of an object that the client may have otherwise.
  private func isMissed(_ object: ObjectReference, from held: HeldView, to next: View) throws -> Bool {
    let image = try schema.image(of: object)
    let layout = schema.layout(of: object.table)
    func isIn(_ view: View) -> Bool { view.contains(image, className: object.table, layout: layout) }
    guard isIn(next) else { return !held.possible.contains(where: isIn) }
    return isIn(held.sure) && next.showsTheSame(of: object.table, as: held.sure)
  }

  /// What predicates do not tell, since they look at what is in a view now.
  ///
  /// - Returns: Of the objects that were written since the parts were sent: those that the client may have, though not
  ///   surely as the history says; and those that it has never heard of and that the change of the view would erase.
  private func objectsWritten(
    since record: BootstrapRecord,
    _ begun: BegunViews,
    _ held: HeldView,
    _ next: View
  )
    throws -> (begun: Set<ObjectReference>, unheard: Set<ObjectReference>)
  {
    let sightings = zip(begun.parts, held.possible).flatMap { part, view in
      part.versions.map { Sighting(view: view, version: $0) }
    }
    var courses: [ObjectReference: BegunCourse] = [:]
    try history.forEachPiece(after: record.neededVersion) { piece in
      for committed in piece {
        for touched in committed.entry.images.objects
        where courses[touched.object] != nil || held.mayContain(touched, committed) {
          var course = courses[touched.object] ?? BegunCourse()
          course.note(touched, committed, sightings)
          if committed.entry.version > record.placedVersion { course.noteSure(touched, committed, held.sure) }
          courses[touched.object] = course
        }
      }
    }
    var objects: (begun: Set<ObjectReference>, unheard: Set<ObjectReference>) = ([], [])
    for (object, course) in courses {
      let image = try schema.image(of: object)
      let layout = schema.layout(of: object.table)
      func isIn(_ view: View) -> Bool { view.contains(image, className: object.table, layout: layout) }
      if course.isPossible(asItIsNow: isIn, sightings) {
        if course.wasSure == false { objects.begun.insert(object) }
      } else if held.possible.contains(where: isIn), !isIn(next) {
        objects.unheard.insert(object)
      }
    }
    return objects
  }
}

/// A view that was sent, as it was at a version of the history.
private struct Sighting {
  let view: View
  let version: UInt64
}

/// What is known of an object that was written since parts of bootstraps were sent.
private struct BegunCourse {
  /// Whether the client surely had it when the last bootstrap was placed; nil if it was not written since.
  private(set) var wasSure: Bool?
  /// Whether one of the sightings has surely shown it, or may have.
  private var wasSeen = false
  /// The sightings of which it is known what the object was then.
  private var known: Set<Int> = []

  mutating func note(_ touched: TouchedObject, _ committed: CommittedEntry, _ sightings: [Sighting]) {
    guard !wasSeen else { return }
    let className = touched.object.table
    let layout = committed.layout(of: className)
    for (number, sighting) in sightings.enumerated() where committed.entry.version > sighting.version {
      // The first change since has found the object as it was then.
      guard known.insert(number).inserted else { continue }
      wasSeen = wasSeen || sighting.view.mayContain(touched.before, className: className, layout: layout)
    }
  }

  mutating func noteSure(_ touched: TouchedObject, _ committed: CommittedEntry, _ view: View) {
    guard wasSure == nil else { return }
    let layout = committed.layout(of: touched.object.table)
    wasSure = view.surelyContains(touched.before, className: touched.object.table, layout: layout)
  }

  /// - Parameter isIn: whether the object is in a view as it is now, and as it was at the sightings after which it was
  ///   not written.
  func isPossible(asItIsNow isIn: (View) -> Bool, _ sightings: [Sighting]) -> Bool {
    wasSeen || sightings.enumerated().contains { !known.contains($0.offset) && isIn($0.element.view) }
  }
}

extension HeldView {
  fileprivate func mayContain(_ touched: TouchedObject, _ committed: CommittedEntry) -> Bool {
    let className = touched.object.table
    let layout = committed.layout(of: className)
    return possible.contains { view in
      [touched.before, touched.after].contains { view.mayContain($0, className: className, layout: layout) }
    }
  }
}
