// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Objects of several classes in memory, in order of insertion.
final class Dataset {
  var schema = Schema()
  var objects: [String: [StoredObject]] = [:]
  private var indexes: [Link: Int] = [:]

  func insert(_ object: StoredObject) {
    indexes[Link(className: object.className, key: object.key)] = objects[object.className, default: []].count
    objects[object.className, default: []].append(object)
  }

  func object(at link: Link) -> StoredObject? {
    indexes[link].flatMap { objects[link.className]?[$0] }
  }

  func rows(of className: String) -> [DatasetRow] {
    (objects[className] ?? []).map { DatasetRow(object: $0, dataset: self) }
  }

  /// The objects that meet the predicate, as the evaluator sees it.
  func evaluate(_ query: BoundQuery) -> [PrimaryKey] {
    rows(of: query.className).filter(query.predicate.matches).map(\.object.key)
  }
}

struct StoredObject {
  let className: String
  let key: PrimaryKey
  var image: RowImage
}

/// A row whose links lead to other objects of the data set.
struct DatasetRow: PredicateRow {
  let object: StoredObject
  unowned let dataset: Dataset

  func value(of property: String) -> Value { object.image.value(of: property) }

  func elements(of property: String) -> [Value] { object.image.elements(of: property) }

  func target(of link: Link) -> DatasetRow? {
    dataset.object(at: link).map { DatasetRow(object: $0, dataset: dataset) }
  }
}
