// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStorage

/// An entry that a stretch of history means for a view.
struct PlannedEntry {
  let stamp: OriginStamp
  let changeset: [UInt8]
}

/// Decides what a stretch of history, up to now, means for a view: the same function for a live session and for a
/// client that was away (Docs/Architecture.md).
final class StreamPlanner {
  /// What becomes of one object over the stretch.
  private enum Verdict {
    /// In view for as long as it is there: the authors' instructions.
    case follow
    /// In view now and not before: the whole object.
    case enter
    /// In view before and now, and not in between: the whole object in place of the one that the client has.
    case replace
    /// In view before and not now.
    case leave
    /// Neither before nor now.
    case ignore
  }

  private struct Course {
    let wasIn: Bool
    var isIn: Bool
    var isAlwaysIn: Bool
    /// The version that changed the object last while it was in view, or brought it in or out.
    var last: UInt64

    var verdict: Verdict {
      switch (wasIn, isIn) {
      case (_, true) where isAlwaysIn: .follow
      case (false, true): .enter
      case (true, true): .replace
      case (true, false): .leave
      case (false, false): .ignore
      }
    }
  }

  private struct PlanKey: Hashable {
    let body: String
    let after: UInt64
  }

  private let store: ServerStore
  private let history: CommittedHistory
  private var plans: [PlanKey: [PlannedEntry]] = [:]
  private var plannedVersion: UInt64 = 0

  init(store: ServerStore, history: CommittedHistory) {
    self.store = store
    self.history = history
  }

  /// Forgets what was planned, for example after a transaction was taken back.
  func reset() {
    plans = [:]
    plannedVersion = 0
  }

  /// What the history after a version, up to now, means for a view. Equal questions are answered once.
  func plan(_ view: View, after version: UInt64) throws -> [PlannedEntry] {
    try cached(view, after: version) {
      try plan(touches(of: view, after: version, skipping: []), excluding: nil)
    }
  }

  /// The same for a view whose part in the history after the version is known.
  func plan(_ view: View, after version: UInt64, touches: [ViewTouch]) throws -> [PlannedEntry] {
    try cached(view, after: version) { try plan(touches, excluding: nil) }
  }

  /// As `plan(_:after:)`, without the changes of one author and without some objects.
  func plan(
    _ view: View,
    after version: UInt64,
    excluding author: UInt64,
    skipping objects: Set<ObjectReference>
  ) throws -> [PlannedEntry] {
    try plan(touches(of: view, after: version, skipping: objects), excluding: author)
  }

  private func cached(
    _ view: View,
    after version: UInt64,
    _ make: () throws -> [PlannedEntry]
  ) throws -> [PlannedEntry] {
    if plannedVersion != history.version {
      plans = [:]
      plannedVersion = history.version
    }
    let key = PlanKey(body: view.body, after: version)
    if let plan = plans[key] { return plan }
    let plan = try make()
    plans[key] = plan
    return plan
  }

  /// The changes of objects that were or are in a view, found by asking for each.
  private func touches(
    of view: View,
    after version: UInt64,
    skipping: Set<ObjectReference>
  ) throws -> [ViewTouch] {
    guard !view.isEmpty else { return [] }
    var touches: [ViewTouch] = []
    for committed in try history.entries(after: version) {
      for (number, touched) in committed.entry.images.objects.enumerated() {
        let className = touched.object.table
        guard view.selects(from: className), skipping.isEmpty || !skipping.contains(touched.object) else {
          continue
        }
        let layout = committed.layout(of: className)
        let wasIn = view.contains(touched.before, className: className, layout: layout)
        let isIn = view.contains(touched.after, className: className, layout: layout)
        guard wasIn || isIn else { continue }
        touches.append(ViewTouch(entry: committed, number: number, wasIn: wasIn, isIn: isIn))
      }
    }
    return touches
  }

  /// - Parameter touches: in the order of their versions.
  private func plan(_ touches: [ViewTouch], excluding author: UInt64?) throws -> [PlannedEntry] {
    let courses = courses(touches)
    var plan: [PlannedEntry] = []
    var rest = touches[...]
    while let committed = rest.first?.entry {
      let group = rest.prefix { $0.entry === committed }
      rest = rest.dropFirst(group.count)
      guard committed.entry.stamp.fileIdent != author else { continue }
      let changeset = try changeset(of: committed, group, courses)
      guard let changeset else { continue }
      plan.append(PlannedEntry(stamp: committed.entry.stamp, changeset: changeset))
    }
    return plan
  }

  private func courses(_ touches: [ViewTouch]) -> [ObjectReference: Course] {
    var courses: [ObjectReference: Course] = [:]
    for touch in touches {
      let version = touch.entry.entry.version
      guard var course = courses[touch.object] else {
        courses[touch.object] = Course(
          wasIn: touch.wasIn,
          isIn: touch.isIn,
          isAlwaysIn: touch.isSeenWhileThere,
          last: version
        )
        continue
      }
      course.isIn = touch.isIn
      course.isAlwaysIn = course.isAlwaysIn && touch.isSeenWhileThere
      course.last = version
      courses[touch.object] = course
    }
    return courses
  }

  /// What an entry means, given what becomes of the objects; nil for nothing.
  private func changeset(
    of committed: CommittedEntry,
    _ touches: ArraySlice<ViewTouch>,
    _ courses: [ObjectReference: Course]
  ) throws -> [UInt8]? {
    var followed: [Int] = []
    var replaced: [Int: ObjectReference] = [:]
    for touch in touches {
      guard let course = courses[touch.object] else { continue }
      switch course.verdict {
      case .ignore: break
      case .follow: followed += committed.positions[touch.number]
      case .enter, .replace, .leave:
        guard course.last == committed.entry.version, let first = committed.positions[touch.number].first
        else { continue }
        replaced[first] = touch.object
      }
    }
    if followed.count == committed.entry.instructions.count { return committed.changeset }
    guard !followed.isEmpty || !replaced.isEmpty else { return nil }
    var instructions: [Instruction] = []
    for position in (followed + replaced.keys).sorted() {
      guard let object = replaced[position] else {
        instructions.append(committed.entry.instructions[position])
        continue
      }
      switch courses[object]?.verdict {
      // Without an erasure, which would take what the client has written to an object of this key meanwhile.
      case .enter: instructions += try store.fullState(of: object)
      case .replace: instructions += try store.wholeState(of: object)
      default: instructions.append(.eraseObject(object))
      }
    }
    return ChangesetCodec.encode(instructions)
  }
}

extension ServerStore {
  /// The instructions that give a client the whole object, whatever it has: erase, create, fill. Only the erase if
  /// the object does not exist.
  func wholeState(of object: ObjectReference) throws -> [Instruction] {
    [.eraseObject(object)] + (try fullState(of: object))
  }

  /// The instructions that make the object where there is none; none if the object does not exist.
  func fullState(of object: ObjectReference) throws -> [Instruction] {
    guard let table = try objects.table(named: object.table),
      let row = try objects.row(of: object.key, in: table)
    else { return [] }
    return try objects.fullState(of: row, in: table)
  }
}
