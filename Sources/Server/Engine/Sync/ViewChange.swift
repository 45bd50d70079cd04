// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// A view that a stretch of history is planned for, and the one that takes its place at the end of the stretch, if it
/// changes there.
struct ViewChange {
  let view: View
  private let next: View?
  private let schema: AppSchema?
  /// What else the user might see in the stretch: from after which version on, ascending.
  var passed: [(version: UInt64, view: View)] = []

  /// A view that stays.
  init(_ view: View) {
    self.view = view
    next = nil
    schema = nil
  }

  init(from view: View, to next: View, schema: AppSchema) {
    self.view = view
    self.next = next.identity == view.identity ? nil : next
    self.schema = schema
  }

  /// Whether it is a change at all.
  var isChange: Bool { next != nil }

  /// The changes of objects that were or are in the view, found by asking for each; if the view changes, those of all
  /// objects of its classes.
  func touches(in piece: [CommittedEntry], skipping: Set<ObjectReference>) -> [ViewTouch] {
    var touches: [ViewTouch] = []
    for committed in piece {
      for (number, touched) in committed.entry.images.objects.enumerated()
      where view.selects(from: touched.object.table) {
        guard skipping.isEmpty || !skipping.contains(touched.object) else { continue }
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

  /// Whether the change of the view takes an object away now.
  func takesAway(_ object: ObjectReference) throws -> Bool {
    guard let next, let schema else { return false }
    let image = try schema.image(of: object)
    let layout = schema.layout(of: object.table)
    return view.contains(image, className: object.table, layout: layout)
      && !next.contains(image, className: object.table, layout: layout)
  }

  /// Whether the change of the view sends an object whole or erases it now: one that is in only one of the views, or of
  /// which other properties may be seen.
  func replaces(_ object: ObjectReference) throws -> Bool {
    guard let next, let schema else { return false }
    let image = try schema.image(of: object)
    let layout = schema.layout(of: object.table)
    let wasIn = view.contains(image, className: object.table, layout: layout)
    let isIn = next.contains(image, className: object.table, layout: layout)
    return wasIn != isIn || isIn && !next.showsTheSame(of: object.table, as: view)
  }
}
