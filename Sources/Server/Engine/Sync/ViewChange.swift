// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// A view that a stretch of history is planned for, and the one that takes its place at the end of the stretch, if it
/// changes there.
struct ViewChange {
  let view: View
  private let next: View?
  /// What else the user might see in the stretch: from after which version on, ascending.
  var passed: [(version: UInt64, view: View)] = []

  /// A view that stays.
  init(_ view: View) {
    self.view = view
    next = nil
  }

  init(from view: View, to next: View) {
    self.view = view
    self.next = next.identity == view.identity ? nil : next
  }

  /// Whether it is a change at all.
  var isChange: Bool { next != nil }

  /// The changes of objects that were or are in the view, found by asking for each; if the view changes, those of all
  /// objects of its classes.
  ///
  /// - Parameter isExcluded: whether the change of an object at a version is left out.
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

  /// What the change of the view does with an object itself.
  enum Effect {
    case none
    /// It sends it whole: it is in the next view only, or other properties of it may be seen.
    case brings
    /// It erases it.
    case takesAway
  }

  /// What the change does with an object as it is at the end.
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
