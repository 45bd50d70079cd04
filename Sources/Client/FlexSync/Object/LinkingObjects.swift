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

  var managed: Results<Element> {
    guard let results else {
      Misuse.stop("The linking objects of an unmanaged object can only be counted and read")
    }
    return results
  }
}

extension LinkingObjects: RealmCollection {
  public var _results: Results<Element> { managed }
  public var _isInRealm: Bool { results != nil }
  public var _identity: AnyObject? { results?._identity }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  public var count: Int { results?.count ?? 0 }

  public subscript(index: Int) -> Element {
    if let tracer { return tracer.element() }
    guard let results else {
      Misuse.stop("Index \(index) is out of bounds: there are no linking objects")
    }
    return results[index]
  }

  /// Iterates over the objects as they are when the realm begins to change.
  public func makeIterator() -> ResultsIterator<Element> {
    results?.makeIterator() ?? ResultsIterator([])
  }

  /// The index of an object; nil if it does not link.
  public func index(of object: Element) -> Int? { results?.index(of: object) }

  /// Observes the objects until the token is invalidated or released. The first call is made during the next refresh.
  public func observe(_ block: @escaping (RealmCollectionChange<LinkingObjects<Element>>) -> Void)
    -> NotificationToken
  {
    managed.observe { change in block(change.map { _ in self }) }
  }

  /// Linking objects are equal if they are the same, not if they have the same elements.
  public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
    left._identity === right._identity && left.propertyName == right.propertyName
  }
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
    Misuse.stop(
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
