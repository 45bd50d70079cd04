// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// Works out, a part at a time and from a source that stays the same, which entries a stretch of history means for a view
/// that may change at its end.
///
/// The stretch is read twice, as what becomes of an object is known at its end only. Nothing is planned for objects that
/// the change of the view brings or takes away, and nothing that the next view does not show.
final class Stretch {
  /// Changes that are not planned because the client gets or has them by other means.
  struct Exceptions {
    var author: UInt64?
    var objects: Set<ObjectReference> = []
    /// Objects that are left out up to a version.
    var objectsAtFirst: Set<ObjectReference> = []
    var firstVersion: UInt64 = 0

    fileprivate func contains(_ object: ObjectReference, _ version: UInt64) -> Bool {
      objects.contains(object) || version <= firstVersion && objectsAtFirst.contains(object)
    }
  }

  private let source: StreamSource
  private let change: ViewChange
  private let exceptions: Exceptions
  private var courses = StreamCourses()
  private var noting: HistoryPass
  private var planning: HistoryPass
  /// Objects for which the effect of the view change is still to be determined.
  private var unsettled: [ObjectReference]?
  /// Objects that have come into the view in the stretch, and that its change takes away: a client that had all of the
  /// view before has never heard of them.
  private(set) var unheardObjects: Set<ObjectReference> = []

  /// - Parameter version: after which the stretch begins.
  init(
    _ change: ViewChange,
    after version: UInt64,
    from source: StreamSource,
    exceptions: Exceptions = Exceptions()
  ) {
    self.source = source
    self.change = change
    self.exceptions = exceptions
    noting = HistoryPass(after: version)
    planning = noting
  }

  /// How many objects are tracked in memory.
  var size: Int { courses.count }

  /// Gives the next entries that the stretch means, in order.
  ///
  /// - Returns: Whether these were the last.
  func goOn(_ meter: TurnMeter, _ body: (PlannedEntry) throws -> Void) throws -> Bool {
    guard !change.view.isEmpty else { return true }
    let isNoted = try noting.goOn(source.history, meter) { piece in
      courses.note(touches(in: piece), for: change.view, isComplete: change.isChange)
    }
    guard isNoted, try settle(meter) else { return false }
    return try planning.goOn(source.history, meter) { piece in
      let touches = touches(in: piece)
      try courses.compare(touches, with: source.objects)
      let plan = try StreamPlanner.plan(
        touches,
        courses,
        for: change.view,
        excluding: exceptions.author,
        from: source
      )
      meter.count(steps: 0, bytes: plan.reduce(0) { $0 + $1.changeset.count })
      try plan.forEach(body)
    }
  }

  private func touches(in piece: [CommittedEntry]) -> [ViewTouch] {
    change.touches(in: piece, excluding: exceptions.contains)
  }

  private func settle(_ meter: TurnMeter) throws -> Bool {
    guard change.isChange else { return true }
    var rest = unsettled ?? courses.objects
    defer { unsettled = rest }
    while let object = rest.popLast() {
      if try courses.end(object, with: change, in: source) { unheardObjects.insert(object) }
      meter.count()
      if meter.isExhausted { break }
    }
    return rest.isEmpty
  }
}
