// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Objects in memory, in order of insertion, as the evaluator sees them.
public final class QueryDataset {
  public let schema: Schema
  fileprivate var rows: [String: [Link]] = [:]
  fileprivate var images: [Link: RowImage] = [:]
  fileprivate var places: [Link: Int] = [:]
  fileprivate var incoming: [Link: [Reference]] = [:]

  /// A link and the property that holds it.
  struct Reference {
    let origin: Link
    let property: String
  }

  init(schema: Schema) {
    self.schema = schema
  }

  /// Adds an object with its content.
  func insert(_ link: Link, _ image: RowImage) {
    places[link] = places.count
    rows[link.className, default: []].append(link)
    images[link] = image
    for property in schema[link.className]?.properties ?? [] {
      for value in image.fields[property.name]?.values ?? [] {
        for target in value.links {
          incoming[target, default: []].append(Reference(origin: link, property: property.name))
        }
      }
    }
  }

  /// Adds an embedded object and returns the link that represents it.
  func insertEmbedded(_ className: String, _ image: RowImage) -> Value {
    let link = Link(className: className, key: .int(Int64(rows[className]?.count ?? 0)))
    insert(link, image)
    return .link(link)
  }

  /// Returns the keys of the objects that a query finds, in its order.
  func keys(meeting query: BoundQuery) -> [PrimaryKey] {
    let rows = (rows[query.className] ?? []).map { QueryRow(link: $0, dataset: self) }
    return query.results(among: rows).map(\.link.key)
  }
}

/// An object of a data set.
private struct QueryRow: PredicateRow {
  let link: Link
  unowned let dataset: QueryDataset

  private var image: RowImage { dataset.images[link] ?? RowImage() }

  func value(of property: String) -> Value { image.value(of: property) }

  func elements(of property: String) -> [Value] { image.elements(of: property) }

  func entries(of property: String) -> [DictionaryEntry] { image.entries(of: property) }

  func target(of link: Link) -> QueryRow? {
    dataset.images[link].map { _ in QueryRow(link: link, dataset: dataset) }
  }

  func incoming(from className: String, property: String) -> [QueryRow] {
    (dataset.incoming[link] ?? [])
      .filter { $0.origin.className == className && $0.property == property }
      .map { QueryRow(link: $0.origin, dataset: dataset) }
  }

  func incomingCount() -> Int { dataset.incoming[link]?.count ?? 0 }

  func identity() -> Link? { link }

  func insertionOrder() -> Int64? { dataset.places[link].map { Int64($0) } }
}

extension RowImage.Field {
  fileprivate var values: [Value] {
    switch self {
    case .value(let value): [value]
    case .list(let values): values
    case .dictionary(let entries): entries.map(\.value)
    }
  }
}

extension Value {
  /// The links in the value, including those in nested collections.
  fileprivate var links: [Link] {
    switch self {
    case .link(let link): [link]
    case .list(let elements): elements.flatMap(\.links)
    case .dictionary(let entries): entries.flatMap(\.value.links)
    default: []
    }
  }
}

extension DictionaryEntry {
  /// Returns entries in the order that `Value.dictionary` requires.
  static func sorted(_ entries: [DictionaryEntry]) -> [DictionaryEntry] {
    entries.sorted { UTF8Order.isLess($0.key, $1.key) }
  }
}
