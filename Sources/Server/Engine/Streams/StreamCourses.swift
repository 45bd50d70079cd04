// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

/// The courses of objects over a stretch of history. An object that is in view for the entire stretch, without any
/// unseen writes, is not tracked unless the stretch ends with a change of the view.
struct StreamCourses {
  /// The effect of the stretch on the client's copy of one object.
  enum Verdict {
    /// In view for as long as it exists: send the instructions as their authors wrote them.
    case follow
    /// In view now and not before: send the entire object.
    case enter
    /// In view throughout, or for as long as it exists, but for some of the time the user was not allowed to see all
    /// of it: the client keeps what it has, and receives what the user was allowed to see and those unseen writes
    /// whose results are still there.
    case catchUp
    /// In view before and now, but not in between: send the entire object to replace the one that the client has.
    case replace
    /// In view before but not now: erase it.
    case leave
    /// In view neither before nor now: send nothing.
    case ignore
  }

  /// The course of one object during a stretch.
  struct Course {
    var wasIn: Bool
    /// Whether the object was created in the stretch and did not exist before.
    var isNew: Bool
    /// Whether the object was certainly not in the view before the stretch.
    var wasSurelyOut: Bool
    var isIn: Bool
    var isAlwaysIn: Bool
    /// Whether the change of the view at the end adds, removes or resends the object.
    var isReplaced = false
    /// The last version that changed something of the object that the view shows, or that moved it in or out of view.
    /// Changes to the rest of the object must not determine where in the stream it appears.
    var last: UInt64 = 0
    /// Whether the object was erased or out of view during the stretch.
    var isInterrupted = false
    /// The unseen writes, by property.
    var unseen: [String: UnseenWrites] = [:]

    mutating func note(_ touch: ViewTouch, for view: View) {
      let version = touch.entry.entry.version
      if touch.wasIn != isIn || touch.isIn != touch.wasIn || touch.isIn && touch.isShown(by: view) {
        last = version
      }
      isIn = touch.isIn
      isAlwaysIn = isAlwaysIn && touch.isSeenWhileThere
      isInterrupted = isInterrupted || !touch.isIn
      // Objects that enter the view are sent in full.
      let hidden = wasIn || isNew || touch.passed != nil ? touch.fieldsWrittenUnseen(of: view) : []
      for field in hidden where unseen[field] == nil { unseen[field] = UnseenWrites(first: version) }
      for instruction in touch.instructions where view.shows(instruction) {
        if case .eraseObject = instruction { isInterrupted = true }
        guard let field = instruction.path?.field else { continue }
        unseen[field]?.note(instruction, isSeen: !hidden.contains(field), version: version)
      }
    }

    var verdict: Verdict {
      switch (wasIn, isIn) {
      case _ where isReplaced: .ignore
      case (_, true) where isAlwaysIn && unseen.isEmpty: .follow
      case (false, true): isNew && !isInterrupted ? .catchUp : .enter
      case (true, true): isInterrupted ? .replace : .catchUp
      case (true, false): .leave
      case (false, false): .ignore
      }
    }
  }

  private var courses: [ObjectReference: Course] = [:]

  /// The number of objects that are tracked.
  var count: Int { courses.count }

  var objects: [ObjectReference] { Array(courses.keys) }

  subscript(object: ObjectReference) -> Course? { courses[object] }

  /// - Parameters:
  ///   - touches: the touches of the next versions.
  ///   - isComplete: whether to track all objects.
  mutating func note(_ touches: [ViewTouch], for view: View, isComplete: Bool = false) {
    for touch in touches {
      guard
        isComplete || courses[touch.object] != nil || !touch.wasIn || !touch.isIn || !touch.isSeenWhileThere
          || !touch.fieldsWrittenUnseen(of: view).isEmpty
      else { continue }
      courses[
        touch.object,
        default: Course(
          wasIn: touch.wasIn,
          isNew: touch.isNew,
          wasSurelyOut: touch.wasSurelyOut,
          isIn: touch.wasIn,
          isAlwaysIn: true
        )
      ].note(touch, for: view)
    }
  }

  /// Notes the effect on an object of the change of the view at the end.
  ///
  /// - Returns: Whether the change removes an object that entered the view during the stretch.
  mutating func end(_ object: ObjectReference, with change: ViewChange, in source: StreamSource) throws
    -> Bool
  {
    let effect = try change.effect(on: object, in: source)
    if effect != .none { courses[object]?.isReplaced = true }
    return effect == .takesAway && courses[object]?.wasSurelyOut == true
  }

  /// Determines which unseen writes to the objects of some touches may be sent because their results are still there.
  mutating func compare(_ touches: [ViewTouch], with objects: ObjectStore) throws {
    for object in Set(touches.map(\.object)) {
      guard let course = courses[object], course.verdict == .catchUp else { continue }
      for (field, writes) in course.unseen where writes.isTold && !writes.isCompared {
        let instructions = try objects.replacement(of: field, in: object)
        courses[object]?.unseen[field]?.compare(with: instructions)
      }
    }
  }

  /// Notes that the entries for some touches have been placed, although the stretch may still grow. Later versions
  /// then build on what the client has.
  mutating func notePlaced(_ touches: [ViewTouch]) {
    for touch in touches {
      guard let course = courses[touch.object] else { continue }
      let version = touch.entry.entry.version
      if course.last == version {
        courses[touch.object] = nil
        continue
      }
      switch course.verdict {
      case .follow: courses[touch.object]?.wasIn = touch.isIn
      case .catchUp:
        courses[touch.object]?.wasIn = touch.isIn
        // The client has the current values of these properties.
        for (field, writes) in course.unseen where writes.last == version {
          courses[touch.object]?.unseen[field] = nil
        }
      case .enter, .replace, .leave, .ignore: break
      }
    }
  }
}
