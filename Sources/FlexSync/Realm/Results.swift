// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The objects of a class that match a query. Live: what it contains follows the realm.
public struct Results<Element: Object> {
  private let box: ResultsBox
  let handle: _RealmHandle
  private let binding: _ClassBinding

  /// Takes over the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer?, _ handle: _RealmHandle) {
    guard let pointer else { preconditionFailure("results that could be made have no handle") }
    box = ResultsBox(pointer)
    self.handle = handle
    binding = handle.binding(of: Element.self)
  }

  var pointer: OpaquePointer { box.pointer }

  public var realm: Realm? { Realm(handle) }

  /// The predicate as text, without sort, distinct and limit.
  public var predicateText: String { String(flx_results_predicate(pointer)) }

  /// Those that also satisfy a condition.
  ///
  /// ```swift
  /// realm.objects(Task.self).where { $0.completed == true && $0.progressMinutes > 120 }
  /// ```
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    let query = isIncluded(Query<Element>.root(handle)).rendered(in: handle)
    do { return try filtered(query) } catch { preconditionFailure("\(error)") }
  }

  /// Those that also match a query in Realm Query Language; `$0`, `$1` … stand for the arguments.
  ///
  /// A query that does not fit the class is a mistake in the program and stops it; see `filtered` for queries that come
  /// from elsewhere.
  public func filter(_ query: String, _ arguments: Any...) -> Results<Element> {
    do { return try filtered(RenderedQuery(text: query, anyArguments: arguments, handle)) } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Those that also match a query in Realm Query Language whose text comes from outside the program.
  ///
  /// - Throws: `Realm.Error` with code `invalidQuery`.
  public func filtered(by query: String, _ arguments: Any...) throws -> Results<Element> {
    try filtered(RenderedQuery(text: query, anyArguments: arguments, handle))
  }

  func filtered(_ query: RenderedQuery) throws -> Results<Element> {
    var result: OpaquePointer?
    try query.withFlex { text, arguments in
      try check { flx_results_filter(pointer, text, arguments.baseAddress, arguments.count, &result, $0) }
    }
    return Results(takingOver: result, handle)
  }

  /// The same objects in the order of a property, or of a path through links such as "owner.name".
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// The same objects in the order of a property.
  public func sorted<Value: _Persistable>(by keyPath: KeyPath<Element, Value>, ascending: Bool = true)
    -> Results<Element>
  {
    sorted(byKeyPath: handle.binding(of: Element.self).discovered.name(of: keyPath), ascending: ascending)
  }

  /// The same objects in another order; the first descriptor is the main one.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> {
    var result: OpaquePointer?
    let arena = TextArena()
    let keys = descriptors.map {
      flx_sort_key_t(key_path: arena.text($0.keyPath), is_ascending: $0.ascending)
    }
    withExtendedLifetime(arena) { trapOnMisuse { flx_results_sort(pointer, keys, keys.count, &result, $0) } }
    return Results(takingOver: result, handle)
  }

  /// The index of an object; nil if it is not among the results.
  public func index(of object: Element) -> Int? {
    guard let managed = object._managed else { return nil }
    var index = 0
    mustSucceed { flx_results_index_of(pointer, managed.pointer, &index, $0) }
    return index == Int(bitPattern: UInt.max) ? nil : index
  }

  /// Observes the results until the token is invalidated or released. The first call comes with the next refresh.
  public func observe(_ block: @escaping (RealmCollectionChange<Results<Element>>) -> Void)
    -> NotificationToken
  {
    let results = self
    return NotificationToken.make { box, token, error in
      flx_results_observe(pointer, { callCollectionObserver($0, $1) }, box, freeCallbackBox, token, error)
    } callback: { (changes: flx_collection_changes_t) in
      block(RealmCollectionChange(results, changes))
    }
  }
}

extension Results: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public var count: Int {
    var count = 0
    trapOnMisuse { flx_results_count(pointer, &count, $0) }
    return count
  }

  public subscript(index: Int) -> Element {
    var object: OpaquePointer?
    trapOnMisuse { flx_results_get_object(pointer, index, &object, $0) }
    guard let object else { preconditionFailure("an object that could be read has no handle") }
    return handle.wrap(Element.self, binding, takingOver: object)
  }
}

/// Releases the handle of results with the last copy of them.
private final class ResultsBox {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_results_release(pointer) }
}

/// One key of an order.
public struct SortDescriptor: Hashable, Sendable {
  public var keyPath: String
  public var ascending: Bool

  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }
}

/// What happened to an observed collection.
public enum RealmCollectionChange<CollectionType> {
  /// The first call.
  case initial(CollectionType)
  /// Indexes of deletions count before the change, those of insertions and modifications after it.
  case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
  case error(any Error)

  init(_ collection: CollectionType, _ changes: flx_collection_changes_t) {
    guard !changes.is_initial else {
      self = .initial(collection)
      return
    }
    self = .update(
      collection,
      deletions: Array(UnsafeBufferPointer(start: changes.deletions, count: changes.deletion_count)),
      insertions: Array(UnsafeBufferPointer(start: changes.insertions, count: changes.insertion_count)),
      modifications: Array(
        UnsafeBufferPointer(start: changes.modifications, count: changes.modification_count)
      )
    )
  }
}

private func callCollectionObserver(
  _ userdata: UnsafeMutableRawPointer?,
  _ changes: UnsafePointer<flx_collection_changes_t>
) {
  CallbackBox<(flx_collection_changes_t) -> Void>.callback(in: userdata)(changes.pointee)
}
