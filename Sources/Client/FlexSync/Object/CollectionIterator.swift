// SPDX-License-Identifier: Apache-2.0

/// Iterates over a list or set. A loop may change the collection, and delete the objects in it: it continues over the
/// objects that were there when the realm began to change. Other elements are read as they are, but no more than there
/// were when the loop began.
public struct CollectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
  private enum Source {
    case copies(IndexingIterator<[Element]>)
    case objects(ResultsLoop)
    case values(_PersistedCollection, next: Int, end: Int)
  }

  private var source: Source

  /// Iterates over the elements of a collection that is in no realm.
  init(_ elements: [Element]) { source = .copies(elements.makeIterator()) }

  /// Iterates over the elements of a collection that is in a realm.
  init(_ collection: _PersistedCollection, _ managed: ManagedCollection) {
    guard let type = Element.self as? ObjectBase.Type else {
      source = .values(collection, next: 0, end: managed.count)
      return
    }
    let results = managed.resultsBox()
    let realm = managed.realm
    let binding =
      type == DynamicObject.self ? realm.dynamicBinding(results.classKey) : realm.binding(of: type)
    source = .objects(ResultsLoop(results, realm, binding))
  }

  public mutating func next() -> Element? {
    switch source {
    case .copies(var elements):
      defer { source = .copies(elements) }
      return elements.next()
    case .objects(let loop): return loop.next().map(Element._fromRow)
    case .values(let collection, let index, let end):
      guard index < end, let managed = collection.managed, let value = managed.elementIfAny(at: index) else {
        return nil
      }
      source = .values(collection, next: index + 1, end: end)
      guard managed.kind == .list else { return Element._fromFlex(value, managed.realm) }
      return Element._fromFlex(value, managed.realm, at: .element(managed, index))
    }
  }
}
