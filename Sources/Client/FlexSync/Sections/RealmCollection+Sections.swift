// SPDX-License-Identifier: Apache-2.0

extension RealmCollection {
  /// Returns the elements in sections, after sorting them.
  ///
  /// - Parameter key: returns the key of an element's section.
  public func sectioned<Key: _Persistable & Hashable>(
    sortDescriptors: [SortDescriptor],
    _ key: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    Misuse.require(
      !sortDescriptors.isEmpty,
      "There must be at least one SortDescriptor when using SectionedResults."
    )
    return SectionedResults(elements: SectionedElements(sorted(by: sortDescriptors), key))
  }

  /// Returns plain values in sections, sorted by value.
  ///
  /// - Parameter key: returns the key of a value's section.
  public func sectioned<Key: _Persistable & Hashable>(
    by key: @escaping (Element) -> Key,
    ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    sectioned(sortDescriptors: [SortDescriptor(keyPath: "self", ascending: ascending)], key)
  }

  /// Returns the elements in sections, after sorting them.
  ///
  /// - Parameter key: returns the key of an element's section.
  public func sectioned<Key: _Persistable & Hashable>(
    by key: @escaping (Element) -> Key,
    sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    sectioned(sortDescriptors: sortDescriptors, key)
  }
}

extension RealmCollection where Element: KeypathSortable {
  /// Returns the objects in sections by a property, and sorted by it. A computed property that reads a property is
  /// possible, too: the objects are sorted by what it reads.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>,
    ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    let name = Element._path(of: keyPath)
    return sectioned(sortDescriptors: [SortDescriptor(keyPath: name, ascending: ascending)]) {
      $0[keyPath: keyPath]
    }
  }

  /// Returns the objects in sections by a property, which must be the first one that they are sorted by.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>,
    sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    guard let first = sortDescriptors.first else {
      Misuse.stop("Can not section Results with empty sortDescriptor parameter.")
    }
    Misuse.require(
      first.keyPath == Element._path(of: keyPath),
      "The section key path must match the primary sort descriptor."
    )
    return sectioned(sortDescriptors: sortDescriptors) { $0[keyPath: keyPath] }
  }
}
