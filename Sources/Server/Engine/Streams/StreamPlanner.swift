// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

/// An entry that a stretch of history yields for a view.
struct PlannedEntry: Hashable {
  /// The version of the history that it comes from.
  let version: UInt64
  let stamp: OriginStamp
  let changeset: [UInt8]
}

/// Decides which entries a stretch of history, up to the newest version, yields for a view. Live sessions and clients
/// that were away use the same function (Docs/Architecture.md).
final class StreamPlanner {
  private struct PlanKey: Hashable {
    let view: View.Identity
    let after: UInt64
  }

  private let source: StreamSource
  private var plans: [PlanKey: [PlannedEntry]] = [:]
  private var plannedVersion: UInt64 = 0

  init(_ source: StreamSource) { self.source = source }

  private var history: CommittedHistory { source.history }

  /// Discards the cached plans, for example after a transaction was rolled back.
  func reset() {
    plans = [:]
    plannedVersion = 0
  }

  /// Passes to `body`, in order, the entries that the history after a version yields for a view. Memory use does not
  /// depend on the length of the stretch, only on the number of objects that enter or leave the view, or are created
  /// or erased. The result for a short stretch is cached, unless `passed` contains anything.
  ///
  /// - Parameter passed: the other views that the user was allowed to see during the stretch, as in `ViewChange`.
  func plan(
    _ view: View,
    passed: [(version: UInt64, view: View)] = [],
    after version: UInt64,
    _ body: (PlannedEntry) throws -> Void
  ) throws {
    guard !view.isEmpty else { return }
    var change = ViewChange(view)
    change.passed = passed
    let first = try history.piece(after: version)
    guard first.last?.entry.version == history.version else {
      _ = try Stretch(change, after: version, from: source).goOn(.unlimited(), body)
      return
    }
    func plan() throws -> [PlannedEntry] { try self.plan(change.touches(in: first), for: view) }
    try (passed.isEmpty ? cached(view, after: version, plan) : plan()).forEach(body)
  }

  /// Returns the entries that a stretch yields for a view, given the touches.
  func plan(_ view: View, after version: UInt64, touches: [ViewTouch]) throws -> [PlannedEntry] {
    try cached(view, after: version) { try plan(touches, for: view) }
  }

  private func cached(_ view: View, after version: UInt64, _ make: () throws -> [PlannedEntry]) throws
    -> [PlannedEntry]
  {
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

  /// - Parameter touches: the touches of the entire stretch, in the order of their versions.
  private func plan(_ touches: [ViewTouch], for view: View) throws -> [PlannedEntry] {
    var courses = StreamCourses()
    courses.note(touches, for: view)
    try courses.compare(touches, with: source.objects)
    return try StreamPlanner.plan(touches, courses, for: view, from: source)
  }

  /// Returns the entries that some touches of a stretch yield, given the courses of the objects over all of it.
  ///
  /// - Parameter author: the client file whose changes are left out.
  static func plan(
    _ touches: [ViewTouch],
    _ courses: StreamCourses,
    for view: View,
    excluding author: UInt64? = nil,
    from source: StreamSource
  ) throws -> [PlannedEntry] {
    var plan: [PlannedEntry] = []
    var rest = touches[...]
    while let committed = rest.first?.entry {
      let group = rest.prefix { $0.entry === committed }
      rest = rest.dropFirst(group.count)
      guard committed.entry.stamp.fileIdent != author else { continue }
      plan += try changesets(of: committed, group, courses, view, source.store).map {
        PlannedEntry(version: committed.entry.version, stamp: committed.entry.stamp, changeset: $0)
      }
    }
    return plan
  }

  /// Returns the changesets that an entry yields, given the courses of the objects; empty if it yields nothing.
  private static func changesets(
    of committed: CommittedEntry,
    _ touches: ArraySlice<ViewTouch>,
    _ courses: StreamCourses,
    _ view: View,
    _ store: ServerStore
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
      // Without an erasure, which would destroy what the client has since written to an object with this key.
      case .enter: instructions += view.visible(try store.fullState(of: object))
      case .replace: instructions += view.visible(try store.wholeState(of: object))
      default: instructions.append(.eraseObject(object))
      }
    }
    return ChangesetCodec.encodeInParts(instructions)
  }
}

extension ServerStore {
  /// Returns the instructions that give a client the entire object, whatever the client has: erase, create, fill.
  /// Only the erasure if the object does not exist.
  func wholeState(of object: ObjectReference) throws -> [Instruction] {
    [.eraseObject(object)] + (try fullState(of: object))
  }

  /// Returns the instructions that create the object on a client that does not have it; none if the object does not
  /// exist.
  func fullState(of object: ObjectReference) throws -> [Instruction] {
    guard let table = try objects.table(named: object.table),
      let row = try objects.row(of: object.key, in: table)
    else { return [] }
    return try objects.fullState(of: row, in: table)
  }
}
