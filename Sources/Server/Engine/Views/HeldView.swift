// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore

/// The objects that a client has before its view changes.
struct HeldView {
  /// The client has all objects in this view, in their current state.
  let sure: View
  /// The client may have other objects in any of these views.
  let possible: [View]

  /// Creates the value for a client that has received all of a view.
  init(_ view: View) {
    sure = view
    possible = [view]
  }

  init(sure: View, possible: [View]) {
    self.sure = sure
    self.possible = possible
  }

  /// The names of the classes of which the client may have objects, sorted.
  var classNames: [String] { Set(possible.flatMap(\.classNames)).sorted() }

  /// Returns a predicate that matches all objects of a class that the client may have.
  func possiblePredicate(of className: String) -> Predicate {
    let alternatives = possible.map { $0.predicate(of: className) }.filter { $0 != .never }
    guard let first = alternatives.first else { return .never }
    // An intersection is contained in each of its views.
    let sets = Set(alternatives.map { Set($0.conditions) })
    let widest = alternatives.distinct.filter { alternative in
      let conditions = Set(alternative.conditions)
      return !sets.contains { $0.isStrictSubset(of: conditions) }
    }
    // Most alternatives share the conditions of the subscriptions, which may be long.
    let common = first.conditions.filter { condition in sets.allSatisfy { $0.contains(condition) } }
    let rest = widest.map { Predicate.all($0.conditions.filter { !common.contains($0) }) }
    return .all(common + (rest.contains(.always) ? [] : [.any(rest)]))
  }
}

extension View {
  /// Returns the intersection of one or more views: the objects that are in all of them, from the classes of which
  /// all views show the same properties.
  static func intersection(of views: [View]) -> View {
    guard views.count > 1 else { return views[0] }
    let first = views[0]
    let names = first.classNames.filter { name in
      views.allSatisfy { $0.selects(from: name) && $0.showsTheSame(of: name, as: first) }
    }
    let selections = names.map { name in
      let conditions = views.flatMap { $0.predicate(of: name).conditions }.distinct
      return (name, Selection(selected: .all(conditions), fields: first.fields(of: name)))
    }
    // No other view has this text, which is not JSON.
    let text = views.map { "\($0.body) \($0.identity.permissions)" }.joined(separator: " && ")
    return View(
      Identity(body: first.body, permissions: text),
      selections: Dictionary(uniqueKeysWithValues: selections)
    )
  }

  /// Whether an object with the given image may be in the view. True if the image cannot tell, because it lacks a
  /// field that permissions did not examine yet when it was recorded.
  func mayContain(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    guard image != nil, selects(from: className) else { return false }
    return !canTell(className: className, layout: layout)
      || contains(image, className: className, layout: layout)
  }
}

extension Predicate {
  /// The conditions that must all be true.
  fileprivate var conditions: [Predicate] {
    switch self {
    case .always: []
    case .and(let conditions): conditions
    case .never, .or, .not, .comparison, .geoWithin: [self]
    }
  }
}
