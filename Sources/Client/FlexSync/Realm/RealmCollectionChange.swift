// SPDX-License-Identifier: Apache-2.0

/// A change of an observed collection.
public enum RealmCollectionChange<CollectionType> {
  /// The first call.
  case initial(CollectionType)
  /// Indexes of deletions refer to the state before the change, those of insertions and modifications to the state
  /// after it.
  case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
  case error(any Error)
}

extension RealmCollectionChange {
  /// The same change of another collection.
  func map<Other>(_ transform: (CollectionType) -> Other) -> RealmCollectionChange<Other> {
    switch self {
    case .initial(let collection): .initial(transform(collection))
    case .update(let collection, let deletions, let insertions, let modifications):
      .update(
        transform(collection),
        deletions: deletions,
        insertions: insertions,
        modifications: modifications
      )
    case .error(let error): .error(error)
    }
  }
}
