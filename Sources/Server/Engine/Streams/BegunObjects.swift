// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// Incrementally finds the objects that were written after parts of bootstraps had been sent, and whose state on the
/// client may differ from what the views imply. Predicates alone cannot find them, because they only see what is in a
/// view now.
final class BegunObjects {
  private let held: HeldView
  private let next: View
  /// The view whose objects the client certainly knows, in whatever state; nil if there is none.
  private let current: View?
  private let source: StreamSource
  private let sightings: [Sighting]
  /// The version of the history after which the first write to an object shows whether the client certainly had it.
  private let sureSince: UInt64
  /// Whether an object counts as certain only if each write to it shows so, not just the first.
  private let examinesAllWrites: Bool
  private var courses: [ObjectReference: BegunCourse] = [:]
  private var pass: HistoryPass
  /// The objects still to be judged; nil until the entire history has been noted.
  private var rest: [ObjectReference]?

  /// Objects that the client may have, but not necessarily in the state that the history implies.
  private(set) var begun: Set<ObjectReference> = []
  /// The subset of `begun` that the difference between the held view and the next one does not cover.
  private(set) var missed: Set<ObjectReference> = []
  /// Objects that the client has never received, and that the view change would erase.
  private(set) var unheard: Set<ObjectReference> = []

  init(after bootstrap: UnfinishedBootstrap, _ held: HeldView, next: View, from source: StreamSource) {
    self.held = held
    self.next = next
    self.source = source
    current = nil
    sightings = Sighting.all(of: bootstrap.begun, held.possible)
    sureSince = bootstrap.record.placedVersion
    examinesAllWrites = false
    pass = HistoryPass(after: bootstrap.record.neededVersion)
  }

  /// Creates the value for batches that the client has kept of several bootstraps, and applies after everything that
  /// was placed since.
  ///
  /// - Parameters:
  ///   - held: what the client has then; its first possible view is the current one, which the others follow.
  ///   - current: the view that the client has now.
  init(
    _ kept: KeptBatches,
    _ begun: BegunViews,
    _ held: HeldView,
    current: View,
    next: View,
    from source: StreamSource
  ) {
    self.held = held
    self.next = next
    self.source = source
    self.current = current
    sightings = Sighting.all(of: begun, Array(held.possible.dropFirst()))
    sureSince = kept.neededVersion
    examinesAllWrites = true
    pass = HistoryPass(after: kept.neededVersion)
  }

  /// The number of objects tracked in memory.
  var size: Int { courses.count }

  /// - Returns: Whether all objects have been judged.
  func goOn(_ meter: TurnMeter) throws -> Bool {
    guard try pass.goOn(source.history, meter, { note($0, meter) }) else { return false }
    var rest = rest ?? Array(courses.keys)
    defer { self.rest = rest }
    while let object = rest.popLast() {
      try judge(object)
      meter.count()
      if meter.isExhausted { break }
    }
    return rest.isEmpty
  }

  private func note(_ piece: [CommittedEntry], _ meter: TurnMeter) {
    piece.forEach(note)
    // Each object is compared with every sighting.
    meter.count(steps: piece.reduce(0) { $0 + $1.entry.images.objects.count } * sightings.count / 8)
  }

  private func note(_ committed: CommittedEntry) {
    for touched in committed.entry.images.objects
    where courses[touched.object] != nil || held.mayContain(touched, committed) {
      var course = courses[touched.object] ?? BegunCourse()
      course.note(touched, committed, sightings)
      if committed.entry.version > sureSince,
        course.wasSure == nil || examinesAllWrites && course.wasSure == true
      {
        course.noteSure(touched, committed, held.sure)
      }
      courses[touched.object] = course
    }
  }

  private func judge(_ object: ObjectReference) throws {
    guard let course = courses[object] else { return }
    let image = try source.image(of: object)
    let layout = source.layout(of: object.table)
    func isIn(_ view: View) -> Bool { view.contains(image, className: object.table, layout: layout) }
    let isInNext = isIn(next)
    if course.isPossible(asItIsNow: isIn, sightings) {
      guard course.wasSure == false else { return }
      begun.insert(object)
      let isMissed =
        isInNext
        ? isIn(held.sure) && next.showsTheSame(of: object.table, as: held.sure)
        : !held.possible.contains(where: isIn)
      if isMissed { missed.insert(object) }
    } else if !isInNext, !(current.map(isIn) ?? false), held.possible.contains(where: isIn) {
      unheard.insert(object)
    }
  }
}

/// A view that was sent, as of a version of the history.
private struct Sighting {
  let view: View
  let version: UInt64

  /// - Parameter views: those of the parts.
  static func all(of begun: BegunViews, _ views: [View]) -> [Sighting] {
    zip(begun.parts, views).flatMap { part, view in part.versions.map { Sighting(view: view, version: $0) } }
  }
}

/// The course of an object that was written since parts of bootstraps were sent.
private struct BegunCourse {
  /// Whether the client certainly had the object when the last bootstrap was placed, or at every write since the first
  /// one; nil if the object has not been written since.
  private(set) var wasSure: Bool?
  /// Whether the object was, or may have been, in the view of one of the sightings.
  private var wasSeen = false
  /// The sightings at which the state of the object is known.
  private var known: Set<Int> = []

  mutating func note(_ touched: TouchedObject, _ committed: CommittedEntry, _ sightings: [Sighting]) {
    guard !wasSeen else { return }
    let className = touched.object.table
    let layout = committed.layout(of: className)
    for (number, sighting) in sightings.enumerated() where committed.entry.version > sighting.version {
      // The image from before the first change after a sighting shows the object as it was at the sighting.
      guard known.insert(number).inserted else { continue }
      wasSeen = wasSeen || sighting.view.mayContain(touched.before, className: className, layout: layout)
    }
  }

  mutating func noteSure(_ touched: TouchedObject, _ committed: CommittedEntry, _ view: View) {
    let layout = committed.layout(of: touched.object.table)
    wasSure = view.surelyContains(touched.before, className: touched.object.table, layout: layout)
  }

  /// - Parameter isIn: whether the object is in a view in its current state. That is also its state at every sighting
  ///   after which it has not been written.
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
