// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore

/// What a client has before its view changes.
struct HeldView {
  /// It has all objects in this view, as they are.
  let sure: View
  /// It may have other objects in any of these.
  let possible: [View]

  /// What a client has that has received all of a view.
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

  /// What the objects of a class match that the client may have.
  func possiblePredicate(of className: String) -> Predicate {
    let alternatives = possible.map { $0.predicate(of: className) }.filter { $0 != .never }
    guard let first = alternatives.first else { return .never }
    // An intersection is a part of each of its views.
    let sets = Set(alternatives.map { Set($0.conditions) })
    let widest = alternatives.distinct.filter { alternative in
      let conditions = Set(alternative.conditions)
      return !sets.contains { $0.isStrictSubset(of: conditions) }
    }
    // Most have the subscriptions' part in common, which may be long.
    let common = first.conditions.filter { condition in sets.allSatisfy { $0.contains(condition) } }
    let rest = widest.map { Predicate.all($0.conditions.filter { !common.contains($0) }) }
    return .all(common + (rest.contains(.always) ? [] : [.any(rest)]))
  }
}

extension View {
  /// The objects that are in all of some views, at least one, of classes of which all show the same.
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
    // No other view has this text, which is no JSON.
    let text = views.map { "\($0.body) \($0.identity.permissions)" }.joined(separator: " && ")
    return View(
      Identity(body: first.body, permissions: text),
      selections: Dictionary(uniqueKeysWithValues: selections)
    )
  }

  /// Whether an object of which this is an image may be in the view. An image that was made before permissions looked at
  /// some field does not tell.
  func mayContain(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    guard image != nil, selects(from: className) else { return false }
    return !canTell(className: className, layout: layout)
      || contains(image, className: className, layout: layout)
  }
}

extension Predicate {
  /// The conditions all of which must be true.
  fileprivate var conditions: [Predicate] {
    switch self {
    case .always: []
    case .and(let conditions): conditions
    case .never, .or, .not, .comparison, .geoWithin: [self]
    }
  }
}

extension Array<Predicate> {
  /// Each once, in the order in which they come first.
  fileprivate var distinct: [Predicate] {
    var seen: Set<Predicate> = []
    return filter { seen.insert($0).inserted }
  }
}
