// SPDX-License-Identifier: Apache-2.0

/// The objects of a class that match a query, or the elements of a collection in another order. Live: the contents
/// follow the realm.
public struct Results<Element: RealmCollectionValue> {
  let source: ResultsSource<Element>
  let handle: _RealmHandle

  init(_ box: ResultsBox, _ handle: _RealmHandle) {
    guard let rowClass = Element._rowClass else {
      fatalError("\(Element.self) is not a type of objects")
    }
    let binding =
      rowClass == DynamicObject.self ? handle.dynamicBinding(box.classKey) : handle.binding(of: rowClass)
    source = .rows(box, binding)
    self.handle = handle
  }

  init(_ values: PlainResults<Element>) {
    source = .values(values)
    handle = values.realm
  }

  /// The results of a query. Stops the program if the elements are plain values.
  var box: ResultsBox { rows.box }

  /// The class of the objects. Stops the program if the elements are plain values.
  var binding: _ClassBinding { rows.binding }

  private var rows: (box: ResultsBox, binding: _ClassBinding) {
    guard case .rows(let box, let binding) = source else {
      Misuse.stop("Querying is currently only implemented for arrays of Realm Objects")
    }
    return (box, binding)
  }

  public var realm: Realm? { Realm(handle) }

  /// The predicate as text, without sort, distinct and limit.
  public var predicateText: String { box.predicateText }

  /// Returns the objects that also match a query in Realm Query Language whose text comes from outside the program.
  ///
  /// - Throws: `Realm.Error` with code `invalidQuery`.
  public func filtered(by query: String, _ arguments: Any...) throws -> Results<Element> {
    try filtered(RenderedQuery(text: query, anyArguments: arguments))
  }

  func filtered(_ query: RenderedQuery) throws -> Results<Element> {
    Results(try box.filtered(query.inSchemaNames(of: binding.discovered), in: handle), handle)
  }

  /// Returns the objects that also match a query, which stops the program if it does not fit the class.
  func matching(_ query: RenderedQuery) -> Results<Element> {
    do { return try filtered(query) } catch { Misuse.stop("\(error)") }
  }

  /// Returns the first `count` objects.
  public func limit(_ count: Int) -> Results<Element> {
    Results(box.limited(to: count), handle)
  }

  /// A description of how the results are found, for tuning: the SQL statement and the steps of SQLite's query plan.
  public var explanation: String { box.explanation }
}

/// Where the elements of results come from.
enum ResultsSource<Element: RealmCollectionValue> {
  /// Objects, or what stands for them.
  case rows(ResultsBox, _ClassBinding)
  case values(PlainResults<Element>)

  /// What copies of results have in common.
  var identity: AnyObject {
    switch self {
    case .rows(let box, _): box
    case .values(let values): values
    }
  }
}

extension Results: RealmCollection {
  public var _results: Results<Element> { self }
  public var _isInRealm: Bool { true }
  public var _identity: AnyObject? { source.identity }

  /// Whether the realm was invalidated since the results were obtained, or the collection was deleted whose elements they
  /// are. Results of deleted objects are empty.
  public var isInvalidated: Bool {
    switch source {
    case .rows(let box, _): !box.isValid
    case .values(let values): values.isInvalidated
    }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public var count: Int {
    switch source {
    case .rows(let box, _): box.count
    case .values(let values): values.elements.count
    }
  }

  public subscript(index: Int) -> Element {
    switch source {
    case .rows(let box, let binding):
      Element._fromRow(_ManagedObject(takingOver: box.object(at: index), handle, binding))
    case .values(let values): values.elements[index]
    }
  }

  /// Iterates over the results as they are when the realm begins to change, as if they stood still from then on. A
  /// loop may therefore change or delete the objects it iterates over.
  public func makeIterator() -> ResultsIterator<Element> {
    switch source {
    case .rows(let box, let binding): ResultsIterator(ResultsLoop(box, handle, binding))
    case .values(let values): ResultsIterator(values.elements)
    }
  }

  /// The index of an element; nil if it is not among the results.
  public func index(of element: Element) -> Int? {
    switch source {
    case .rows(let box, _): element._row.flatMap(box.index)
    case .values(let values): values.elements.firstIndex(of: element)
    }
  }

  /// Results are equal if they are the same, not if they have the same elements.
  public static func == (left: Results, right: Results) -> Bool { left._identity === right._identity }
}
