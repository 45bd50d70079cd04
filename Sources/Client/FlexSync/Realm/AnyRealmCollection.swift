// SPDX-License-Identifier: Apache-2.0

/// Any collection of a realm with a type of elements: results, a list, a set or linking objects.
///
/// ```swift
/// let tasks: AnyRealmCollection<Task> = isFiltered ? AnyRealmCollection(found) : AnyRealmCollection(team.tasks)
/// ```
public struct AnyRealmCollection<Element: RealmCollectionValue> {
  let base: AnyCollectionBox<Element>

  /// Wraps a collection.
  public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
    self.base = (base as? AnyRealmCollection<Element>)?.base ?? CollectionBox(base)
  }
}

extension AnyRealmCollection: RealmCollection {
  public var realm: Realm? { base.realm }
  public var isInvalidated: Bool { base.isInvalidated }
  public var _results: Results<Element> { base.results }
  public var _isInRealm: Bool { base.isInRealm }
  public var _identity: AnyObject? { base.identity }

  public var startIndex: Int { 0 }
  public var endIndex: Int { base.count }
  public subscript(index: Int) -> Element { base.element(at: index) }
  public func makeIterator() -> AnyIterator<Element> { base.makeIterator() }

  /// The index of the first element that equals `element`; nil if there is none.
  public func index(of element: Element) -> Int? { base.index(of: element) }

  public func _observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmCollectionChange<AnyRealmCollection<Element>>) -> Void
  ) -> NotificationToken {
    base.observe(keyPaths) { block($0.map { AnyRealmCollection(box: $0) }) }
  }

  public var isFrozen: Bool { base.isFrozen }
  public func freeze() -> AnyRealmCollection { AnyRealmCollection(box: base.frozen()) }
  public func thaw() -> AnyRealmCollection? { base.thawed().map { AnyRealmCollection(box: $0) } }

  private init(box: AnyCollectionBox<Element>) { base = box }

  public func _setElements(_ value: Any?) { base.setElements(value) }
  public func _gather(_ values: [Any?]) -> Any { base.gather(values) }

  /// Collections are equal if the wrapped ones have the same type and are equal.
  public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
    left.base.isEqual(to: right.base)
  }
}

extension AnyRealmCollection: Encodable where Element: Encodable {}

/// A collection whose type is not known.
class AnyCollectionBox<Element: RealmCollectionValue> {
  var realm: Realm? { abstract() }
  var isInvalidated: Bool { abstract() }
  var results: Results<Element> { abstract() }
  var isInRealm: Bool { abstract() }
  var identity: AnyObject? { abstract() }
  var count: Int { abstract() }
  func element(at index: Int) -> Element { abstract() }
  func makeIterator() -> AnyIterator<Element> { abstract() }
  func index(of element: Element) -> Int? { abstract() }
  func observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmCollectionChange<AnyCollectionBox<Element>>) -> Void
  ) -> NotificationToken { abstract() }
  var isFrozen: Bool { abstract() }
  func frozen() -> AnyCollectionBox<Element> { abstract() }
  func thawed() -> AnyCollectionBox<Element>? { abstract() }
  func setElements(_ value: Any?) { abstract() }
  func gather(_ values: [Any?]) -> Any { abstract() }
  func isEqual(to other: AnyCollectionBox) -> Bool { abstract() }

  private func abstract() -> Never { fatalError("\(self) is no collection") }
}

private final class CollectionBox<Base: RealmCollection>: AnyCollectionBox<Base.Element> {
  private let base: Base

  init(_ base: Base) { self.base = base }

  override var realm: Realm? { base.realm }
  override var isInvalidated: Bool { base.isInvalidated }
  override var results: Results<Base.Element> { base._results }
  override var isInRealm: Bool { base._isInRealm }
  override var identity: AnyObject? { base._identity }
  override var count: Int { base.count }
  override func element(at index: Int) -> Base.Element { base[index] }
  override func makeIterator() -> AnyIterator<Base.Element> { AnyIterator(base.makeIterator()) }
  override func index(of element: Base.Element) -> Int? { base.index(of: element) }
  override func observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmCollectionChange<AnyCollectionBox<Base.Element>>) -> Void
  ) -> NotificationToken {
    base._observe(keyPaths) { block($0.map { CollectionBox($0) }) }
  }
  override var isFrozen: Bool { base.isFrozen }
  override func frozen() -> AnyCollectionBox<Base.Element> { CollectionBox(base.freeze()) }
  override func thawed() -> AnyCollectionBox<Base.Element>? { base.thaw().map { CollectionBox($0) } }
  override func setElements(_ value: Any?) { base._setElements(value) }
  override func gather(_ values: [Any?]) -> Any { base._gather(values) }
  override func isEqual(to other: AnyCollectionBox<Base.Element>) -> Bool {
    (other as? CollectionBox)?.base == base
  }
}
