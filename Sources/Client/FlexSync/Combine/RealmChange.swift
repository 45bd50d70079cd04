// SPDX-License-Identifier: Apache-2.0

#if !canImport(Combine)
import FlexSync
#endif

/// A change that observers receive.
public protocol _RealmChange {
  /// What observers observe.
  associatedtype _Observed

  /// What was observed, in its present state, and what makes the same change of it elsewhere, without keeping it. Nil if
  /// it is gone.
  var _parts: (observed: _Observed, remake: (_Observed) -> Self)? { get }
}

extension RealmCollectionChange: _RealmChange {
  public var _parts: (observed: CollectionType, remake: (CollectionType) -> RealmCollectionChange)? {
    switch self {
    case .initial(let collection): return (collection, { .initial($0) })
    case .update(let collection, let deletions, let insertions, let modifications):
      return (
        collection,
        { .update($0, deletions: deletions, insertions: insertions, modifications: modifications) }
      )
    case .error: return nil
    }
  }
}

extension RealmMapChange: _RealmChange {
  public var _parts: (observed: Collection, remake: (Collection) -> RealmMapChange)? {
    switch self {
    case .initial(let map): return (map, { .initial($0) })
    case .update(let map, let deletions, let insertions, let modifications):
      return (
        map, { .update($0, deletions: deletions, insertions: insertions, modifications: modifications) }
      )
    case .error: return nil
    }
  }
}

extension SectionedResultsChange: _RealmChange {
  public var _parts: (observed: Collection, remake: (Collection) -> SectionedResultsChange)? {
    switch self {
    case .initial(let sections): return (sections, { .initial($0) })
    case .update(let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
      let remake = { (sections: Collection) -> SectionedResultsChange in
        .update(
          sections,
          deletions: deletions,
          insertions: insertions,
          modifications: modifications,
          sectionsToInsert: inserted,
          sectionsToDelete: deleted
        )
      }
      return (sections, remake)
    }
  }
}

extension ObjectChange: _RealmChange {
  public var _parts: (observed: ObjectType, remake: (ObjectType) -> ObjectChange)? {
    guard case .change(let object, let properties) = self else { return nil }
    return (object, { .change($0, properties) })
  }
}
