// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore

/// The mapping from properties of a class to fields of an image.
final class ImageLayout {
  let fields: [String]
  private let indexes: [String: Int]

  init(fields: [String]) {
    self.fields = fields
    indexes = Dictionary(fields.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func index(of property: String) -> Int? { indexes[property] }
}

/// An image as the evaluator sees it. Every link counts as having a target, because a view does not depend on other
/// objects.
struct ImageRow: PredicateRow {
  let image: ObjectImage
  let layout: ImageLayout

  func value(of property: String) -> Value {
    guard let index = layout.index(of: property), index < image.fields.count,
      case .value(let value) = image.fields[index]
    else { return .null }
    return value
  }

  func elements(of property: String) -> [Value] {
    guard let index = layout.index(of: property), index < image.fields.count,
      case .elements(let values) = image.fields[index]
    else { return [] }
    return values
  }

  func entries(of property: String) -> [DictionaryEntry] {
    guard case .dictionary(let entries) = value(of: property) else { return [] }
    return entries
  }

  func point(of property: String) -> [Value]? { elements(of: property) }

  func target(of link: Link) -> ImageRow? { nil }

  func hasTarget(_ link: Link) -> Bool { true }
}
