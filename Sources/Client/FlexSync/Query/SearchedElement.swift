// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A plain value among the objects of a realm, where queries know it as "self".
final class SearchedElement: Object {
  @Persisted var element: AnyRealmValue

  override class func propertiesMapping() -> [String: String] { ["element": "self"] }
}

extension RealmCollection {
  /// The index of the first element of a collection in no realm that matches a query.
  ///
  /// Only a realm can evaluate queries, so the elements are copied to one in memory, one after the other.
  func searchedIndex(matching query: RenderedQuery) -> Int? {
    guard let type = Element._rowClass else {
      return search(SearchedElement.self, query) { [plainValue($0) ?? NSNull()] }
    }
    return search(type, query) { $0 }
  }

  private func search(_ type: ObjectBase.Type, _ query: RenderedQuery, _ value: (Element) -> Any) -> Int? {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [type])
    do {
      let realm = try _RealmHandle.open(configuration, at: nil)
      let matching = try realm.results(of: type, query)
      return try firstIndex { element in
        try realm.beginWrite()
        defer { try? realm.cancelWrite() }
        return realm.create(type, value(element), update: .all)._managed.flatMap(matching.index) != nil
      }
    } catch {
      Misuse.stop("\(error)")
    }
  }
}

extension _RealmHandle {
  fileprivate func results(of type: ObjectBase.Type, _ query: RenderedQuery) throws -> ResultsBox {
    let binding = binding(of: type)
    return try allObjects(binding.classKey).filtered(query.inSchemaNames(of: binding.discovered), in: self)
  }
}
