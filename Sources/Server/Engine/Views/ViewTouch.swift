// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// A change of an object that was or is in a view.
struct ViewTouch {
  let entry: CommittedEntry
  /// The position of the object's image in the entry.
  let number: Int
  /// Whether the object was in the view before the change, and is after it.
  let wasIn: Bool
  let isIn: Bool
  /// Whether the object was certainly not in the view before the change. False if the image cannot tell, because it
  /// lacks a field that permissions did not examine yet when it was recorded.
  var wasSurelyOut = false
  /// Whether the next view shows the same of the object as this one, before and after the change.
  var isSeenNext = true
  /// The view that the user was allowed to see at that time, if it differed from this one.
  var passed: View?

  private var touched: TouchedObject { entry.entry.images.objects[number] }

  var object: ObjectReference { touched.object }

  /// Whether the change creates the object.
  var isNew: Bool { touched.before == nil }

  /// Whether, before and after the change, the object is in this view and in the next one, and the user was allowed
  /// to see it. A state in which the object does not exist does not count.
  var isSeenWhileThere: Bool {
    (wasIn || touched.before == nil) && (isIn || touched.after == nil) && isSeenNext && wasAllowed
  }

  /// Whether the user was allowed to see the object at that time, before and after the change.
  private var wasAllowed: Bool {
    guard let passed else { return true }
    let layout = entry.layout(of: object.table)
    return [touched.before, touched.after].allSatisfy { image in
      image == nil || passed.surelyContains(image, className: object.table, layout: layout)
    }
  }

  /// The instructions on the object.
  var instructions: [Instruction] { entry.positions[number].map { entry.entry.instructions[$0] } }

  /// Whether a view shows any part of what the change does to the object.
  func isShown(by view: View) -> Bool {
    view.fields(of: object.table) == .all || instructions.contains(where: view.shows)
  }

  /// Returns the properties that a view shows and that the change writes, if the user was not allowed to see that
  /// write at the time.
  func fieldsWrittenUnseen(of view: View) -> Set<String> {
    if isSeenWhileThere, passed == nil { return [] }
    let isSeen = isSeenWhileThere
    let hidden = instructions.filter { view.shows($0) && (!isSeen || passed?.shows($0) == false) }
    return Set(hidden.compactMap { $0.path?.field })
  }
}
