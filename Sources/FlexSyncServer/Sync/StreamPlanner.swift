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
    /// In view throughout: the authors' instructions.
    case follow
    /// In view now, and not throughout: the whole object.
    case enter
    /// In view before and not now.
    case leave
    /// Neither before nor now.
    case ignore
  }

  private struct Course {
    let wasIn: Bool
    var isIn: Bool
    var isAlwaysIn: Bool
    /// The offset of the last entry that touched the object.
    var last: Int

    var verdict: Verdict {
      if isIn { return isAlwaysIn ? .follow : .enter }
      return wasIn ? .leave : .ignore
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
    if plannedVersion != history.version {
      plans = [:]
      plannedVersion = history.version
    }
    let key = PlanKey(body: view.body, after: version)
    if let plan = plans[key] { return plan }
    let plan = try makePlan(view, after: version, author: nil, skipping: [])
    plans[key] = plan
    return plan
  }

  /// As `plan(_:after:)`, without the changes of one author and without some objects.
  func plan(
    _ view: View,
    after version: UInt64,
    excluding author: UInt64,
    skipping objects: Set<ObjectReference>
  ) throws -> [PlannedEntry] {
    try makePlan(view, after: version, author: author, skipping: objects)
  }

  private func makePlan(
    _ view: View,
    after version: UInt64,
    author: UInt64?,
    skipping: Set<ObjectReference>
  ) throws -> [PlannedEntry] {
    guard !view.isEmpty else { return [] }
    let entries = try history.entries(after: version)
    let courses = courses(entries, view, skipping)
    var plan: [PlannedEntry] = []
    for (offset, committed) in entries.enumerated() where committed.entry.stamp.fileIdent != author {
      let instructions = try self.instructions(of: committed, offset: offset, courses)
      guard !instructions.isEmpty else { continue }
      plan.append(
        PlannedEntry(stamp: committed.entry.stamp, changeset: ChangesetCodec.encode(instructions))
      )
    }
    return plan
  }

  private func courses(
    _ entries: [CommittedEntry],
    _ view: View,
    _ skipping: Set<ObjectReference>
  ) -> [ObjectReference: Course] {
    var courses: [ObjectReference: Course] = [:]
    for (offset, committed) in entries.enumerated() {
      for touched in committed.entry.images.objects where view.selects(from: touched.object.table) {
        if !skipping.isEmpty, skipping.contains(touched.object) { continue }
        let layout = committed.layout(of: touched.object.table)
        let isIn = view.contains(touched.after, className: touched.object.table, layout: layout)
        if var course = courses[touched.object] {
          course.isIn = isIn
          course.isAlwaysIn = course.isAlwaysIn && isIn
          course.last = offset
          courses[touched.object] = course
        } else {
          let wasIn = view.contains(touched.before, className: touched.object.table, layout: layout)
          courses[touched.object] = Course(wasIn: wasIn, isIn: isIn, isAlwaysIn: wasIn && isIn, last: offset)
        }
      }
    }
    return courses
  }

  private func instructions(
    of committed: CommittedEntry,
    offset: Int,
    _ courses: [ObjectReference: Course]
  ) throws -> [Instruction] {
    var result: [Instruction] = []
    var done: Set<ObjectReference> = []
    for instruction in committed.entry.instructions {
      guard let object = instruction.object, let course = courses[object] else { continue }
      switch course.verdict {
      case .ignore: break
      case .follow: result.append(instruction)
      case .enter, .leave:
        guard course.last == offset, done.insert(object).inserted else { continue }
        result += course.isIn ? try store.wholeState(of: object) : [.eraseObject(object)]
      }
    }
    return result
  }
}

extension ServerStore {
  /// The instructions that give a client the whole object, whatever it has: erase, create, fill. Only the erase if
  /// the object does not exist.
  func wholeState(of object: ObjectReference) throws -> [Instruction] {
    guard let table = try objects.table(named: object.table),
      let row = try objects.row(of: object.key, in: table)
    else { return [.eraseObject(object)] }
    return [.eraseObject(object)] + (try objects.fullState(of: row, in: table))
  }
}
