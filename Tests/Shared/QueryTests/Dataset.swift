// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Objects of several classes in memory, in order of insertion.
final class Dataset {
  var schema = Schema()
  var objects: [String: [StoredObject]] = [:]
  private var indexes: [Link: Int] = [:]
  private var references: [Link: [Reference]] = [:]

  /// A link and the property that holds it.
  private struct Reference {
    let origin: Link
    let property: String
  }

  func insert(_ object: StoredObject) {
    let link = object.link
    indexes[link] = objects[object.className, default: []].count
    objects[object.className, default: []].append(object)
    for (property, field) in object.image.fields {
      for target in field.values.flatMap(\.links) {
        references[target, default: []].append(Reference(origin: link, property: property))
      }
    }
  }

  /// The objects that link to another; each as often as it does.
  func origins(of link: Link, from className: String? = nil, property: String? = nil) -> [StoredObject] {
    (references[link] ?? [])
      .filter {
        $0.origin.className == className ?? $0.origin.className && $0.property == property ?? $0.property
      }
      .compactMap { object(at: $0.origin) }
  }

  func index(of link: Link) -> Int? { indexes[link] }

  func object(at link: Link) -> StoredObject? {
    indexes[link].flatMap { objects[link.className]?[$0] }
  }

  func rows(of className: String, danglingLinks: DanglingLinks = .asNull) -> [DatasetRow] {
    (objects[className] ?? []).map {
      DatasetRow(object: $0, dataset: self, danglingLinks: danglingLinks)
    }
  }

  /// The objects that the query finds, as the evaluator sees it.
  func evaluate(_ query: BoundQuery) -> [PrimaryKey] {
    query.results(among: rows(of: query.className)).map(\.object.key)
  }
}

struct StoredObject {
  let className: String
  let key: PrimaryKey
  var image: RowImage

  var link: Link { Link(className: className, key: key) }
}

/// A row whose links lead to other objects of the data set.
struct DatasetRow: PredicateRow {
  let object: StoredObject
  unowned let dataset: Dataset
  let danglingLinks: DanglingLinks

  func value(of property: String) -> Value { object.image.value(of: property) }

  func elements(of property: String) -> [Value] { object.image.elements(of: property) }

  func entries(of property: String) -> [DictionaryEntry] { object.image.entries(of: property) }

  func target(of link: Link) -> DatasetRow? { dataset.object(at: link).map(row) }

  func hasTarget(_ link: Link) -> Bool { danglingLinks == .asStored || target(of: link) != nil }

  func incoming(from className: String, property: String) -> [DatasetRow] {
    dataset.origins(of: object.link, from: className, property: property).map(row)
  }

  func incomingCount() -> Int { dataset.origins(of: object.link).count }

  func identity() -> Link? { object.link }

  func insertionOrder() -> Int64? { dataset.index(of: object.link).map { Int64($0) } }

  private func row(_ object: StoredObject) -> DatasetRow {
    DatasetRow(object: object, dataset: dataset, danglingLinks: danglingLinks)
  }
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
  /// The link itself. The storage does not look for links inside the collections of a mixed value.
  fileprivate var links: [Link] {
    if case .link(let link) = self { [link] } else { [] }
  }
}

extension DictionaryEntry {
  /// Entries in the order that `Value.dictionary` asks for.
  static func sorted(_ entries: [DictionaryEntry]) -> [DictionaryEntry] {
    entries.sorted { UTF8Order.isLess($0.key, $1.key) }
  }
}
