// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

/// What becomes, over a stretch of history, of the objects that are not there and in view throughout.
struct StreamCourses {
  /// What becomes of one object over the stretch.
  enum Verdict {
    /// In view for as long as it is there: the authors' instructions.
    case follow
    /// In view now and not before: the whole object.
    case enter
    /// In view throughout, or as long as it is there, but the user might not see all of it in between: the client keeps
    /// what it has, and gets what was seen of it, and what was written unseen as far as it is still there.
    case catchUp
    /// In view before and now, and not in between: the whole object in place of the one that the client has.
    case replace
    /// In view before and not now.
    case leave
    /// Neither before nor now.
    case ignore
  }

  /// What a stretch does to an object that comes, goes, enters or leaves the view in it.
  struct Course {
    var wasIn: Bool
    /// Whether the object was made in the stretch, and not before.
    var isNew: Bool
    /// Whether the object was certainly not in the view before the stretch.
    var wasSurelyOut: Bool
    var isIn: Bool
    var isAlwaysIn: Bool
    /// Whether the change of the view brings the object or takes it away.
    var isReplaced = false
    /// The version that changed something of the object last that the view shows, or brought it in or out. What others do
    /// to the rest must not decide where in the stream the object comes.
    var last: UInt64 = 0
    /// Whether the object was erased or out of view in it.
    var isInterrupted = false
    /// What was written unseen, by property.
    var unseen: [String: UnseenWrites] = [:]

    mutating func note(_ touch: ViewTouch, for view: View) {
      let version = touch.entry.entry.version
      if touch.wasIn != isIn || touch.isIn != touch.wasIn || touch.isIn && touch.isShown(by: view) {
        last = version
      }
      isIn = touch.isIn
      isAlwaysIn = isAlwaysIn && touch.isSeenWhileThere
      isInterrupted = isInterrupted || !touch.isIn
      // Objects that enter the view get all that they have.
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

  /// How many objects it is kept for.
  var count: Int { courses.count }

  var objects: [ObjectReference] { Array(courses.keys) }

  subscript(object: ObjectReference) -> Course? { courses[object] }

  /// - Parameters:
  ///   - touches: of the next versions.
  ///   - isComplete: whether what becomes of the other objects is wanted, too.
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

  /// Notes what the change of the view at the end does with an object.
  ///
  /// - Returns: Whether it takes away an object that has come in the stretch.
  mutating func end(_ object: ObjectReference, with change: ViewChange, in source: StreamSource) throws
    -> Bool
  {
    let effect = try change.effect(on: object, in: source)
    if effect != .none { courses[object]?.isReplaced = true }
    return effect == .takesAway && courses[object]?.wasSurelyOut == true
  }

  /// Looks which of the unseen writes to the objects of some touches can be told, since what they wrote is still there.
  mutating func compare(_ touches: [ViewTouch], with objects: ObjectStore) throws {
    for object in Set(touches.map(\.object)) {
      guard let course = courses[object], course.verdict == .catchUp else { continue }
      for (field, writes) in course.unseen where writes.isTold && !writes.isCompared {
        let instructions = try objects.replacement(of: field, in: object)
        courses[object]?.unseen[field]?.compare(with: instructions)
      }
    }
  }

  /// Notes that what some touches mean has been placed, though the stretch may still become longer. What the client has
  /// then is what later versions follow on.
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
        // The client has these properties as they are now.
        for (field, writes) in course.unseen where writes.last == version {
          courses[touch.object]?.unseen[field] = nil
        }
      case .enter, .replace, .leave, .ignore: break
      }
    }
  }
}
