// SPDX-License-Identifier: Apache-2.0

/// The elements of a collection of plain values in another order, or each of them once. Live, like all results.
final class PlainResults<Element: RealmCollectionValue> {
  enum Step {
    case sorted(isAscending: Bool)
    case distinct

    func applied(to elements: [Element]) -> [Element] {
      switch self {
      case .sorted(let isAscending):
        let keyed = elements.map { (key: ValueOrder($0), element: $0) }
        // Swift's sort is stable.
        return keyed.sorted { isAscending ? $0.key < $1.key : $1.key < $0.key }.map(\.element)
      case .distinct:
        var seen: Set<Element> = []
        return elements.filter { seen.insert($0).inserted }
      }
    }
  }

  private let collection: ManagedElements<Element>
  private let steps: [Step]
  private var cached: [Element]?
  /// The state of the realm that `cached` is of.
  private var stamp: UInt64 = 0

  init(_ collection: ManagedElements<Element>, _ steps: [Step] = []) {
    self.collection = collection
    self.steps = steps
  }

  var realm: _RealmHandle { collection.managed.realm }

  /// Whether the object that has the collection was deleted.
  var isInvalidated: Bool { collection.managed.isInvalidated }

  var elements: [Element] { realm.reading { current() } }

  private func current() -> [Element] {
    if let cached, stamp == realm.live.stamp { return cached }
    let elements = steps.reduce(collection.read(collection.owner)) { $1.applied(to: $0) }
    (cached, stamp) = (elements, realm.live.stamp)
    return elements
  }

  /// Returns the same of a frozen or thawed collection; nil if there is none.
  func map(_ other: (_PersistedCollection) -> _PersistedCollection?) -> PlainResults? {
    guard let owner = other(collection.owner), let managed = owner.managed else { return nil }
    return PlainResults(ManagedElements(owner: owner, managed: managed, read: collection.read), steps)
  }

  func appending(_ step: Step) -> PlainResults { PlainResults(collection, steps + [step]) }

  func observe<Collection>(
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmCollectionChange<Collection>) -> Void
  ) -> NotificationToken {
    var known: [Element]?
    return self.collection.managed.observeAnything {
      let (old, new) = (known, self.elements)
      known = new
      guard let old else { return block(.initial(collection())) }
      let changes = new.difference(from: old)
      guard !changes.isEmpty else { return }
      block(
        .update(
          collection(),
          deletions: changes.removals.map(\.offset),
          insertions: changes.insertions.map(\.offset),
          modifications: []
        )
      )
    }
  }
}

/// A collection in a realm, and how to read its elements.
struct ManagedElements<Element> {
  /// Keeps `managed` alive.
  let owner: _PersistedCollection
  let managed: ManagedCollection
  let read: (_PersistedCollection) -> [Element]
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
