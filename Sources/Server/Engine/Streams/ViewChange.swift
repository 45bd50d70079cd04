// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// A view that a stretch of history is planned for, and the view that replaces it at the end of the stretch, if there
/// is a change.
struct ViewChange {
  let view: View
  private let next: View?
  /// The other views that the user was allowed to see during the stretch, each with the version after which it was in
  /// force, ascending.
  var passed: [(version: UInt64, view: View)] = []

  /// Creates the value for a view that stays.
  init(_ view: View) {
    self.view = view
    next = nil
  }

  init(from view: View, to next: View) {
    self.view = view
    self.next = next.identity == view.identity ? nil : next
  }

  /// Whether the view changes at all.
  var isChange: Bool { next != nil }

  /// Returns the changes to objects that were or are in the view, by evaluating the view for each object. If the view
  /// changes, returns the changes to all objects of its classes.
  ///
  /// - Parameter isExcluded: whether to leave out the change of an object at a version.
  func touches(
    in piece: [CommittedEntry],
    excluding isExcluded: (ObjectReference, UInt64) -> Bool = { _, _ in false }
  ) -> [ViewTouch] {
    var touches: [ViewTouch] = []
    for committed in piece {
      for (number, touched) in committed.entry.images.objects.enumerated()
      where view.selects(from: touched.object.table) {
        guard !isExcluded(touched.object, committed.entry.version) else { continue }
        var touch = touch(of: touched, number, committed)
        touch.passed = passed.last { $0.version < committed.entry.version }?.view
        if touch.wasIn || touch.isIn || next != nil { touches.append(touch) }
      }
    }
    return touches
  }

  private func touch(of touched: TouchedObject, _ number: Int, _ committed: CommittedEntry) -> ViewTouch {
    let className = touched.object.table
    let layout = committed.layout(of: className)
    var touch = ViewTouch(
      entry: committed,
      number: number,
      wasIn: view.contains(touched.before, className: className, layout: layout),
      isIn: view.contains(touched.after, className: className, layout: layout)
    )
    touch.wasSurelyOut =
      touched.before == nil || !touch.wasIn && view.canTell(className: className, layout: layout)
    if let next {
      touch.isSeenNext =
        next.showsTheSame(of: className, as: view)
        && [touched.before, touched.after].allSatisfy { image in
          image == nil || next.surelyContains(image, className: className, layout: layout)
        }
    }
    return touch
  }

  /// The effect of the change itself on an object.
  enum Effect {
    case none
    /// The change sends the entire object: it is in the next view only, or other properties of it may be seen.
    case brings
    /// The change erases the object.
    case takesAway
  }

  /// Returns the effect of the change on an object in its state at the end of the stretch.
  func effect(on object: ObjectReference, in source: StreamSource) throws -> Effect {
    guard let next else { return .none }
    let image = try source.image(of: object)
    let layout = source.layout(of: object.table)
    let wasIn = view.contains(image, className: object.table, layout: layout)
    guard next.contains(image, className: object.table, layout: layout) else {
      return wasIn ? .takesAway : .none
    }
    return wasIn && next.showsTheSame(of: object.table, as: view) ? .none : .brings
  }
}
