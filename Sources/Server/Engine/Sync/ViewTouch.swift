// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// A change of an object that was or is in a view.
struct ViewTouch {
  let entry: CommittedEntry
  /// Which of the entry's images.
  let number: Int
  /// Whether the object was in the view before the change, and is after it.
  let wasIn: Bool
  let isIn: Bool
  /// Whether it was certainly not in the view before the change. An image that was made before permissions looked at
  /// some field does not tell.
  var wasSurelyOut = false
  /// Whether the view that comes next shows of the object what this one does, before and after the change.
  var isSeenNext = true
  /// What the user might see at that time, if that was something else than the view has.
  var passed: View?

  private var touched: TouchedObject { entry.entry.images.objects[number] }

  var object: ObjectReference { touched.object }

  /// Whether the change makes the object.
  var isNew: Bool { touched.before == nil }

  /// Whether the object is in view before and after the change, as far as it is there.
  var isSeenWhileThere: Bool {
    (wasIn || touched.before == nil) && (isIn || touched.after == nil) && isSeenNext && wasAllowed
  }

  /// Whether the user might see the object then, before and after the change.
  private var wasAllowed: Bool {
    guard let passed else { return true }
    let layout = entry.layout(of: object.table)
    return [touched.before, touched.after].allSatisfy { image in
      image == nil || passed.surelyContains(image, className: object.table, layout: layout)
    }
  }

  /// The instructions on the object.
  var instructions: [Instruction] { entry.positions[number].map { entry.entry.instructions[$0] } }

  /// Whether a view shows anything of what the change does to the object.
  func isShown(by view: View) -> Bool {
    view.fields(of: object.table) == .all || instructions.contains(where: view.shows)
  }

  /// The properties that the change writes as a view shows it, of which the user might not see that at that time.
  func fieldsWrittenUnseen(of view: View) -> Set<String> {
    if isSeenWhileThere, passed == nil { return [] }
    let isSeen = isSeenWhileThere
    let hidden = instructions.filter { view.shows($0) && (!isSeen || passed?.shows($0) == false) }
    return Set(hidden.compactMap { $0.path?.field })
  }
}
