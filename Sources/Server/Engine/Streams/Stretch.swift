// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// Incrementally works out which entries a stretch of history yields for a view that may change at its end. The
/// source must not change in the meantime.
///
/// The stretch is read twice, because the fate of an object is known only at the end. Nothing is planned for objects
/// that the change of the view adds, removes or resends, nor anything that the next view does not show.
final class Stretch {
  /// The changes that are not planned, because the client has them or receives them by other means.
  struct Exceptions {
    var author: UInt64?
    var objects: Set<ObjectReference> = []
    /// Objects that are left out up to `firstVersion`.
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
  /// Objects that entered the view during the stretch and that the change of the view removes. A client that had the
  /// entire view before has never received them.
  private(set) var unheardObjects: Set<ObjectReference> = []

  /// - Parameter version: the version after which the stretch begins.
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

  /// The number of objects tracked in memory.
  var size: Int { courses.count }

  /// Passes the next entries that the stretch yields to `body`, in order.
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
