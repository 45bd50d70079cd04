// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

/// An entry that a stretch of history means for a view.
struct PlannedEntry: Hashable {
  /// The version of the history that it comes from.
  let version: UInt64
  let stamp: OriginStamp
  let changeset: [UInt8]
}

/// Decides what a stretch of history, up to now, means for a view: the same function for a live session and for a
/// client that was away (Docs/Architecture.md).
final class StreamPlanner {
  private struct PlanKey: Hashable {
    let view: View.Identity
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

  /// Gives what the history after a version, up to now, means for a view, in order. The memory that it takes does not
  /// depend on how long the stretch is, only on how many objects have come or gone; equal questions about a
  /// short stretch are answered once.
  ///
  /// - Parameters:
  ///   - author: whose changes are left out.
  ///   - objects: those that are left out.
  func plan(
    _ view: View,
    after version: UInt64,
    excluding author: UInt64? = nil,
    skipping objects: Set<ObjectReference> = [],
    _ body: (PlannedEntry) throws -> Void
  ) throws {
    try plan(ViewChange(view), after: version, excluding: author, skipping: objects, body)
  }

  /// The same for a view that changes at the end of the stretch. Nothing is planned for objects that the change itself
  /// brings or takes away, and nothing that the next view does not show.
  func plan(
    _ change: ViewChange,
    after version: UInt64,
    excluding author: UInt64? = nil,
    skipping objects: Set<ObjectReference> = [],
    _ body: (PlannedEntry) throws -> Void
  ) throws {
    guard !change.view.isEmpty else { return }
    let first = try history.piece(after: version)
    guard first.last?.entry.version == history.version, !change.isChange else {
      return try planInPieces(change, after: version, excluding: author, skipping: objects, body)
    }
    func plan() throws -> [PlannedEntry] {
      try self.plan(change.touches(in: first, skipping: objects), for: change.view, excluding: author)
    }
    let isCommon = author == nil && objects.isEmpty && change.passed.isEmpty
    try (isCommon ? cached(change.view, after: version, plan) : plan()).forEach(body)
  }

  /// Gives the objects that have come into a view since a version, and that its change takes away: nothing is planned for
  /// them, so that a client that had all of the view at that version has never heard of them.
  func unheardObjects(of change: ViewChange, after version: UInt64) throws -> Set<ObjectReference> {
    guard change.isChange, version < history.version else { return [] }
    var isNew: [ObjectReference: Bool] = [:]
    try history.forEachPiece(after: version) { piece in
      for touch in change.touches(in: piece, skipping: []) where isNew[touch.object] == nil {
        isNew[touch.object] = touch.wasSurelyOut
      }
    }
    return try Set(isNew.filter(\.value).keys.filter(change.takesAway))
  }

  /// What becomes of an object is known at the end of the stretch only, so it is read twice.
  private func planInPieces(
    _ change: ViewChange,
    after version: UInt64,
    excluding author: UInt64?,
    skipping objects: Set<ObjectReference>,
    _ body: (PlannedEntry) throws -> Void
  ) throws {
    var courses = StreamCourses()
    try history.forEachPiece(after: version) { piece in
      courses.note(change.touches(in: piece, skipping: objects), for: change.view)
    }
    try courses.end(with: change)
    try history.forEachPiece(after: version) { piece in
      let touches = change.touches(in: piece, skipping: objects)
      try courses.compare(touches, with: store.objects)
      try plan(touches, courses, for: change.view, excluding: author).forEach(body)
    }
  }

  /// What a stretch means for a view whose part in it is known.
  func plan(_ view: View, after version: UInt64, touches: [ViewTouch]) throws -> [PlannedEntry] {
    try cached(view, after: version) { try plan(touches, for: view, excluding: nil) }
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
    let key = PlanKey(view: view.identity, after: version)
    if let plan = plans[key] { return plan }
    let plan = try make()
    plans[key] = plan
    return plan
  }

  /// - Parameter touches: those of the whole stretch in the order of their versions.
  private func plan(_ touches: [ViewTouch], for view: View, excluding author: UInt64?) throws
    -> [PlannedEntry]
  {
    var courses = StreamCourses()
    courses.note(touches, for: view)
    try courses.compare(touches, with: store.objects)
    return try plan(touches, courses, for: view, excluding: author)
  }

  /// What some touches of a stretch mean, given what becomes of the objects over all of it.
  func plan(
    _ touches: [ViewTouch],
    _ courses: StreamCourses,
    for view: View,
    excluding author: UInt64? = nil
  ) throws -> [PlannedEntry] {
    var plan: [PlannedEntry] = []
    var rest = touches[...]
    while let committed = rest.first?.entry {
      let group = rest.prefix { $0.entry === committed }
      rest = rest.dropFirst(group.count)
      guard committed.entry.stamp.fileIdent != author else { continue }
      plan += try changesets(of: committed, group, courses, view).map {
        PlannedEntry(version: committed.entry.version, stamp: committed.entry.stamp, changeset: $0)
      }
    }
    return plan
  }

  /// What an entry means, given what becomes of the objects; empty for nothing.
  private func changesets(
    of committed: CommittedEntry,
    _ touches: ArraySlice<ViewTouch>,
    _ courses: StreamCourses,
    _ view: View
  ) throws -> [[UInt8]] {
    var followed: [Int] = []
    var replaced: [Int: (object: ObjectReference, verdict: StreamCourses.Verdict)] = [:]
    var caughtUp: [Int: (path: PropertyPath, writes: UnseenWrites)] = [:]
    for touch in touches {
      let course = courses[touch.object]
      switch course?.verdict ?? .follow {
      case .ignore: break
      case .follow:
        let positions = committed.positions[touch.number]
        let isWhole = view.fields(of: touch.object.table) == .all
        followed += isWhole ? positions : positions.filter { view.shows(committed.entry.instructions[$0]) }
      case .catchUp:
        guard let course else { continue }
        var fields: Set<String> = []
        for position in committed.positions[touch.number]
        where view.shows(committed.entry.instructions[position]) {
          guard let path = committed.entry.instructions[position].path,
            let writes = course.unseen[path.field], writes.replaces(committed.entry.version)
          else {
            followed.append(position)
            continue
          }
          guard writes.last == committed.entry.version, fields.insert(path.field).inserted else { continue }
          caughtUp[position] = (path, writes)
        }
      case .enter, .replace, .leave:
        guard let course, course.last == committed.entry.version,
          let first = committed.positions[touch.number].first
        else { continue }
        replaced[first] = (touch.object, course.verdict)
      }
    }
    if followed.count == committed.entry.instructions.count { return [committed.changeset] }
    guard !followed.isEmpty || !replaced.isEmpty || !caughtUp.isEmpty else { return [] }
    var instructions: [Instruction] = []
    for position in (followed + replaced.keys + caughtUp.keys).sorted() {
      if let (path, writes) = caughtUp[position] {
        let sum = writes.sum.map { [Instruction.addInteger(path, delta: $0)] }
        instructions +=
          try sum ?? view.visible(try store.objects.replacement(of: path.field, in: path.object))
        continue
      }
      guard let (object, verdict) = replaced[position] else {
        instructions.append(committed.entry.instructions[position])
        continue
      }
      switch verdict {
      // Without an erasure, which would take what the client has written to an object of this key meanwhile.
      case .enter: instructions += view.visible(try store.fullState(of: object))
      case .replace: instructions += view.visible(try store.wholeState(of: object))
      default: instructions.append(.eraseObject(object))
      }
    }
    return ChangesetCodec.encodeInParts(instructions)
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
