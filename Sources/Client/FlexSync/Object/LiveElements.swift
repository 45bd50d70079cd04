// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A collection whose elements, or values, can be queried, sorted and aggregated.
public protocol _LiveElements: Sequence {
  associatedtype _LiveElement: RealmCollectionValue
  /// The elements as live results. Stops the program for a collection that is in no realm.
  var _results: Results<_LiveElement> { get }
  /// Whether `_results` can be used.
  var _isInRealm: Bool { get }
  /// The elements as programs get them by name.
  var _keyValueElements: [Any?] { get }
}

// MARK: - Queries

extension _LiveElements {
  /// Returns the objects that also satisfy a condition.
  ///
  /// ```swift
  /// realm.objects(Task.self).where { $0.completed == true && $0.progressMinutes > 120 }
  /// ```
  public func `where`(_ isIncluded: (Query<_LiveElement>) -> Query<Bool>) -> Results<_LiveElement> {
    _results.matching(isIncluded(Query<_LiveElement>.root).rendered)
  }

  /// Returns the objects that also match a query in Realm Query Language; `$0`, `$1` … stand for the arguments. The
  /// placeholders of `NSPredicate` are supported too: `%@` for the next argument, `%K` for one that names a property.
  ///
  /// A query that does not fit the class is a programming error and stops the program; see `Results.filtered(by:)` for
  /// queries from elsewhere.
  public func filter(_ query: String, _ arguments: Any...) -> Results<_LiveElement> {
    _results.matching(RenderedQuery(text: query, anyArguments: arguments))
  }

  /// Returns the objects that also satisfy a predicate: one with a text, a constant, or a combination of these.
  ///
  /// A predicate that does not fit the class, or is a block, is a programming error and stops the program.
  public func filter(_ predicate: NSPredicate) -> Results<_LiveElement> {
    _results.matching(RenderedQuery(predicate))
  }
}

// MARK: - Order

extension _LiveElements {
  /// Returns the same elements in a different order; the first descriptor takes precedence.
  public func sorted<Descriptors: Sequence>(by descriptors: Descriptors) -> Results<_LiveElement>
  where Descriptors.Element == SortDescriptor {
    _results.ordered(by: Array(descriptors))
  }

  /// Returns the same elements, ordered by a property or by a path through links such as "owner.name"; plain values by
  /// "self".
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<_LiveElement> {
    _results.ordered(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Returns the same objects, ordered by a property.
  public func sorted<Value: _Persistable>(by keyPath: KeyPath<_LiveElement, Value>, ascending: Bool = true)
    -> Results<_LiveElement>
  where _LiveElement: ObjectBase {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Returns the same objects, ordered by a property. Nil comes first.
  public func sorted<Value: _Persistable>(
    by keyPath: KeyPath<_LiveElement.Wrapped, Value>,
    ascending: Bool = true
  ) -> Results<_LiveElement>
  where _LiveElement: _OptionalObject {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Returns the same plain values in ascending or descending order.
  public func sorted(ascending: Bool = true) -> Results<_LiveElement>
  where _LiveElement.PersistedType: SortableType {
    sorted(byKeyPath: "self", ascending: ascending)
  }

  /// Returns one object for each combination of values of the properties, or of paths through links such as
  /// "owner.name": the first in the current order. "self" stands for plain values.
  public func distinct<KeyPaths: Sequence>(by keyPaths: KeyPaths) -> Results<_LiveElement>
  where KeyPaths.Element == String {
    _results.distinguished(by: Array(keyPaths))
  }

  /// Returns one object for each combination of values of the properties: the first in the current order.
  public func distinct<KeyPaths: Sequence>(by keyPaths: KeyPaths) -> Results<_LiveElement>
  where KeyPaths.Element == PartialKeyPath<_LiveElement>, _LiveElement: ObjectBase {
    distinct(by: keyPaths.map { DiscoveredClass.of(_LiveElement.self).path(of: $0) })
  }

  /// Returns each plain value once.
  public func distinct() -> Results<_LiveElement> where _LiveElement.PersistedType: SortableType {
    distinct(by: ["self"])
  }
}

extension Results {
  fileprivate func ordered(by descriptors: [SortDescriptor]) -> Results {
    for descriptor in descriptors where descriptor.keyPath.contains("@") {
      Misuse.stop(
        "Cannot sort on key path '\(descriptor.keyPath)': KVC collection operators are not supported."
      )
    }
    switch source {
    case .rows(let box, let binding):
      let descriptors = descriptors.map {
        SortDescriptor(keyPath: binding.discovered.schemaPath($0.keyPath).path, ascending: $0.ascending)
      }
      return Results(box.sorted(by: descriptors), handle)
    case .values(let values):
      // The first takes precedence, so it comes last.
      return Results(
        descriptors.reversed().reduce(values) { values, descriptor in
          requireSelf(descriptor.keyPath, "sort")
          return values.appending(.sorted(isAscending: descriptor.ascending))
        }
      )
    }
  }

  fileprivate func distinguished(by keyPaths: [String]) -> Results {
    for keyPath in keyPaths where keyPath.contains("@") {
      Misuse.stop(
        "Cannot distinct on keypath '\(keyPath)': KVC collection operators are not supported."
      )
    }
    switch source {
    case .rows(let box, let binding):
      return Results(box.distinct(by: keyPaths.map { binding.discovered.schemaPath($0).path }), handle)
    case .values(let values):
      for keyPath in keyPaths { requireSelf(keyPath, "distinct") }
      return Results(values.appending(.distinct))
    }
  }

  private func requireSelf(_ keyPath: String, _ operation: String) {
    Misuse.require(
      keyPath == "self",
      "Cannot \(operation) on key path '\(keyPath)': arrays of '\(Element._propertyType.publicType.name)' can only be "
        + "\(operation == "sort" ? "sorted" : "distincted") on \"self\""
    )
  }
}
