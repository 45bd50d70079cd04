// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStorage

/// What becomes, over a stretch of history, of the objects that are not there and in view throughout.
struct StreamCourses {
  /// What becomes of one object over the stretch.
  enum Verdict {
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

  /// What a stretch does to an object that comes, goes, enters or leaves the view in it.
  struct Course {
    var wasIn: Bool
    var isIn: Bool
    var isAlwaysIn: Bool
    /// Whether the change of the view brings the object or takes it away.
    var isReplaced = false
    /// The version that changed the object last while it was in view, or brought it in or out.
    var last: UInt64

    var verdict: Verdict {
      switch (wasIn, isIn) {
      case _ where isReplaced: .ignore
      case (_, true) where isAlwaysIn: .follow
      case (false, true): .enter
      case (true, true): .replace
      case (true, false): .leave
      case (false, false): .ignore
      }
    }
  }

  private var courses: [ObjectReference: Course] = [:]

  subscript(object: ObjectReference) -> Course? { courses[object] }

  /// - Parameter touches: of the next versions.
  mutating func note(_ touches: [ViewTouch]) {
    for touch in touches {
      let version = touch.entry.entry.version
      if var course = courses[touch.object] {
        course.isIn = touch.isIn
        course.isAlwaysIn = course.isAlwaysIn && touch.isSeenWhileThere
        course.last = version
        courses[touch.object] = course
      } else if !touch.wasIn || !touch.isIn || !touch.isSeenWhileThere {
        courses[touch.object] = Course(
          wasIn: touch.wasIn,
          isIn: touch.isIn,
          isAlwaysIn: touch.isSeenWhileThere,
          last: version
        )
      }
    }
  }

  /// Notes which objects the change of the view at the end brings or takes away.
  mutating func end(with change: ViewChange) throws {
    guard change.isChange else { return }
    for object in Array(courses.keys) where try change.replaces(object) {
      courses[object]?.isReplaced = true
    }
  }

  /// Notes that what some touches mean has been placed, though the stretch may still become longer. What the client has
  /// then is what later versions follow on.
  mutating func notePlaced(_ touches: [ViewTouch]) {
    for touch in touches {
      guard let course = courses[touch.object] else { continue }
      if course.last == touch.entry.entry.version {
        courses[touch.object] = nil
      } else if course.verdict == .follow {
        courses[touch.object]?.wasIn = touch.isIn
      }
    }
  }
}
