// SPDX-License-Identifier: Apache-2.0

/// The objects that link to an object through one of their properties. Live, and never set by the program.
///
/// ```swift
/// class Person: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var dogs: List<Dog>
/// }
///
/// class Dog: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
///
/// They are in the order of insertion; one that links several times appears as often. An object that is in no realm
/// has none.
public struct LinkingObjects<Element: ObjectBase> {
  /// The linking property, in the class that links.
  public let propertyName: String
  let results: Results<Element>?
  /// Set in the linking objects of a probe, with which key paths are resolved.
  private var tracer: PropertyTracer?

  /// Creates the objects that link through a property of their class.
  ///
  /// - Parameter type: the class that has the property.
  public init(fromType type: Element.Type, property propertyName: String) {
    self.propertyName = propertyName
    results = nil
  }

  init(_ results: Results<Element>, _ propertyName: String) {
    self.propertyName = propertyName
    self.results = results
  }

  init(tracer: PropertyTracer) {
    self.init(fromType: Element.self, property: "")
    self.tracer = tracer
  }

  public var realm: Realm? { results?.realm }

  /// Returns the objects that also satisfy a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    managed.where(isIncluded)
  }

  /// Returns the objects that also match a query. See `Results.filter`.
  public func filter(_ query: String, _ arguments: Any...) -> Results<Element> {
    managed.matching(RenderedQuery(text: query, anyArguments: arguments))
  }

  /// Returns the same objects, ordered by a property or by a path through links such as "owner.name".
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    managed.sorted(byKeyPath: keyPath, ascending: ascending)
  }

  /// Returns the same objects, ordered by a property.
  public func sorted<Value: _Persistable>(by keyPath: KeyPath<Element, Value>, ascending: Bool = true)
    -> Results<Element>
  {
    managed.sorted(by: keyPath, ascending: ascending)
  }

  /// Returns one object for each combination of values of the properties. See `Results.distinct`.
  public func distinct(by keyPaths: [String]) -> Results<Element> { managed.distinct(by: keyPaths) }

  /// Returns the same objects in a different order; the first descriptor takes precedence.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> { managed.sorted(by: descriptors) }

  /// The index of an object; nil if it does not link.
  public func index(of object: Element) -> Int? { results?.index(of: object) }

  var managed: Results<Element> {
    guard let results else {
      preconditionFailure("The linking objects of an unmanaged object can only be counted and read")
    }
    return results
  }
}

extension LinkingObjects: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  public var count: Int { results?.count ?? 0 }

  public subscript(index: Int) -> Element {
    if let tracer { return tracer.element() }
    guard let results else {
      preconditionFailure("Index \(index) is out of bounds: there are no linking objects")
    }
    return results[index]
  }
}

extension LinkingObjects: CustomStringConvertible {
  public var description: String { "LinkingObjects<\(Element.self)> (\(count) objects)" }
}

/// The type-erased interface of linking objects.
protocol AnyLinkingObjects {
  var propertyName: String { get }
  static var originClass: ObjectBase.Type { get }
}

extension LinkingObjects: AnyLinkingObjects {
  static var originClass: ObjectBase.Type { Element.self }
}

extension LinkingObjects: _Persistable {
  public static var _propertyType: _PropertyType {
    .link(to: Element.self)
  }

  public static func _defaultValue() -> LinkingObjects {
    LinkingObjects(fromType: Element.self, property: "")
  }

  public static func _convert(_ value: Any) -> LinkingObjects? { nil }

  /// - Parameter property: the position among the class's properties of linking objects.
  public static func _get(_ object: _ManagedObject, _ property: _PropertyKey) -> LinkingObjects {
    let name = object.binding.discovered.backlinks[property.position].originProperty
    let origin = object.realm.binding(of: Element.self)
    let key = origin.propertyKeys[origin.discovered.requiredOrdinal(named: name)]
    return LinkingObjects(Results(object.backlinks(from: origin, key), object.realm), name)
  }

  public static func _set(
    _ object: _ManagedObject,
    _ property: _PropertyKey,
    _ value: LinkingObjects
  ) {
    preconditionFailure(
      "Linking objects cannot be set; set the property '\(value.propertyName)' of \(Element.self)"
    )
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: _PropertyKey,
    _ value: LinkingObjects
  ) {
    _set(object, property, value)
  }
}

extension LinkingObjects: _QueryCollection {
  public typealias _QueryElement = Element
}

extension Persisted {
  /// The objects that link to the object by a property of their class.
  @inlinable
  public init<Origin: ObjectBase>(originProperty: String) where Value == LinkingObjects<Origin> {
    self.init(
      LinkingObjects(fromType: Origin.self, property: originProperty),
      isPrimaryKey: false,
      isIndexed: false
    )
  }
}
