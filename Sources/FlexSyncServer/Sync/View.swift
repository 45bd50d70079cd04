// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncQuery
import FlexSyncStorage

/// The objects that a query set selects: for each class the predicate that they match.
final class View {
  /// The text of the query set, which identifies the view.
  let body: String
  private let predicates: [String: Predicate]

  init(body: String, predicates: [String: Predicate]) {
    self.body = body
    self.predicates = predicates
  }

  /// No objects at all, as in query version 0.
  static let emptyBody = "{}"

  var isEmpty: Bool { predicates.isEmpty }

  /// The names of the classes with a query, sorted.
  var classNames: [String] { predicates.keys.sorted() }

  /// What the objects of a class in the view match.
  func predicate(of className: String) -> Predicate { predicates[className] ?? .never }

  func selects(from className: String) -> Bool { predicates[className] != nil }

  /// Whether an object of which this is an image is in the view; false for none.
  func contains(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    guard let image, let predicate = predicates[className] else { return false }
    return predicate.matches(ImageRow(image: image, layout: layout))
  }
}

/// Why a query set is refused, in words for the client.
struct QuerySetRefusal: Error {
  let message: String
}
