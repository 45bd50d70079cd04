// SPDX-License-Identifier: Apache-2.0

/// The objects of a class that match a query. Live: its contents follow the realm.
public struct Results<Element: ObjectBase> {
  let box: ResultsBox
  let handle: _RealmHandle
  let binding: _ClassBinding

  init(_ box: ResultsBox, _ handle: _RealmHandle) {
    self.box = box
    self.handle = handle
    binding =
      Element.self == DynamicObject.self
      ? handle.dynamicBinding(box.classKey) : handle.binding(of: Element.self)
  }

  public var realm: Realm? { Realm(handle) }

  /// The predicate as text, without sort, distinct and limit.
  public var predicateText: String { box.predicateText }

  /// Returns the objects that also satisfy a condition.
  ///
  /// ```swift
  /// realm.objects(Task.self).where { $0.completed == true && $0.progressMinutes > 120 }
  /// ```
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    matching(isIncluded(Query<Element>.root).rendered)
  }

  /// Returns the objects that also match a query in Realm Query Language; `$0`, `$1` … stand for the arguments. The
  /// placeholders of `NSPredicate` are supported too: `%@` for the next argument, `%K` for one that names a property.
  ///
  /// A query that does not fit the class is a programming error and stops the program; see `filtered` for queries
  /// from elsewhere.
  public func filter(_ query: String, _ arguments: Any...) -> Results<Element> {
    matching(RenderedQuery(text: query, anyArguments: arguments))
  }

  /// Returns the objects that also match a query in Realm Query Language whose text comes from outside the program.
  ///
  /// - Throws: `Realm.Error` with code `invalidQuery`.
  public func filtered(by query: String, _ arguments: Any...) throws -> Results<Element> {
    try filtered(RenderedQuery(text: query, anyArguments: arguments))
  }

  func filtered(_ query: RenderedQuery) throws -> Results<Element> {
    Results(try box.filtered(query), handle)
  }

  /// Returns the objects that also match a query, which stops the program if it does not fit the class.
  func matching(_ query: RenderedQuery) -> Results<Element> {
    do { return try filtered(query) } catch { Misuse.stop("\(error)") }
  }

  /// Returns the same objects, ordered by a property or by a path through links such as "owner.name".
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Returns the same objects, ordered by a property.
  public func sorted<Value: _Persistable>(by keyPath: KeyPath<Element, Value>, ascending: Bool = true)
    -> Results<Element>
  {
    sorted(
      byKeyPath: binding.discovered.columnName(of: keyPath),
      ascending: ascending
    )
  }

  /// Returns the same objects in a different order; the first descriptor takes precedence.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> {
    Results(box.sorted(by: descriptors), handle)
  }

  /// Returns one object for each combination of values of the properties, or of paths through links such as
  /// "owner.name": the first in the current order.
  public func distinct(by keyPaths: [String]) -> Results<Element> {
    Results(box.distinct(by: keyPaths), handle)
  }

  /// Returns the first `count` objects.
  public func limit(_ count: Int) -> Results<Element> {
    Results(box.limited(to: count), handle)
  }

  /// A description of how the results are found, for tuning: the SQL statement and the steps of SQLite's query plan.
  public var explanation: String { box.explanation }

  /// The index of the first object that satisfies a condition; nil if there is none.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    self.where(isIncluded).first.flatMap(index)
  }

  /// The index of the first object that matches a query, as in `filter`; nil if there is none.
  public func index(matching query: String, _ arguments: Any...) -> Int? {
    matching(RenderedQuery(text: query, anyArguments: arguments)).first.flatMap(index)
  }

  /// The index of an object; nil if it is not among the results.
  public func index(of object: Element) -> Int? {
    object._managed.flatMap(box.index)
  }

  /// Observes the results until the token is invalidated or released. The first call is made during the next refresh.
  public func observe(_ block: @escaping (RealmCollectionChange<Results<Element>>) -> Void)
    -> NotificationToken
  {
    box.observe(on: handle, { self }, block)
  }
}

extension Results: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public var count: Int { box.count }

  public subscript(index: Int) -> Element {
    handle.wrap(Element.self, binding, takingOver: box.object(at: index))
  }

  /// Iterates over the results as they are when the realm begins to change, as if they stood still from then on. A
  /// loop may therefore change or delete the objects it iterates over.
  public func makeIterator() -> ResultsIterator<Element> {
    ResultsIterator(ResultsLoop(box, on: handle), handle, binding)
  }
}
