// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A type whose values belong to the thread or actor of their realm, and can be passed to others as a
/// `ThreadSafeReference`. The types that conform are those of FlexSync: objects, collections and results.
public protocol ThreadConfined {
  /// The realm to which the value belongs; nil if it belongs to none, and may be used anywhere.
  var realm: Realm? { get }
  /// Whether what the value stands for was deleted.
  var isInvalidated: Bool { get }
  /// Whether the value is that of a frozen realm.
  var isFrozen: Bool { get }

  /// Returns the value as it is now, which never changes, for use on any thread. See `Realm.freeze`.
  func freeze() -> Self

  /// Returns the live value in the realm of the calling thread; nil if it was deleted.
  func thaw() -> Self?
}

/// A reference to an object, a collection or results, with which another thread or actor finds the same in its own realm.
///
/// ```swift
/// let reference = ThreadSafeReference(to: task)
/// DispatchQueue.global().async {
///   guard let realm = try? Realm(), let task = realm.resolve(reference) else { return }
///   try? realm.write { task.completed = true }
/// }
/// ```
///
/// A reference can be resolved once. It keeps no old data, so an object that was deleted in the meantime resolves to nil
/// in a realm that has seen the deletion.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  private final class State: Sendable {
    let handle: Mutex<ReferenceHandle?>
    let path: String
    /// The classes that the realm had, of which the other one may have none yet.
    let classes: [ObjectBase.Type]
    /// The names of those that it had for dynamic objects.
    let dynamicClasses: [String]

    init(_ handle: ReferenceHandle, of realm: _RealmHandle) {
      self.handle = Mutex(handle)
      path = realm.path
      classes = realm.reading { realm.live.bindings.values.map(\.discovered.type) }
      dynamicClasses = realm.reading { realm.live.dynamicBindings.values.map(\.discovered.name) }
    }
  }

  private let state: State

  /// Creates a reference to a value that is in a realm and not deleted.
  public init(to threadConfined: Confined) {
    guard let realm = threadConfined.realm, let referable = threadConfined as? any Referable else {
      Misuse.stop(
        "Cannot construct reference to unmanaged object, which can be passed across threads directly."
      )
    }
    Misuse.require(!threadConfined.isInvalidated, "Cannot construct reference to invalidated object")
    state = State(referable.makeReference(), of: realm.handle)
  }

  /// Whether the reference has been resolved, which is possible only once.
  public var isInvalidated: Bool { state.handle.withLock { $0 == nil } }

  /// Returns what the reference leads to; nil if it was deleted or is in another file.
  func resolve(in realm: Realm) -> Confined? {
    guard let handle = state.handle.withLock({ $0.take() }) else {
      Misuse.stop("Can only resolve a thread safe reference once.")
    }
    guard state.path == realm.handle.path, let type = Confined.self as? any Referable.Type else { return nil }
    realm.handle.requireClasses(state.classes)
    for name in state.dynamicClasses { _ = realm.handle.dynamicBinding(named: name) }
    return type.resolve(handle, in: realm.handle) as? Confined
  }
}

extension Realm {
  /// Returns what a reference leads to, in this realm, which advances to data at least as new as those in which the
  /// reference was made. Nil if it was deleted, or if it is in another file. The reference can be resolved only once.
  public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    reference.resolve(in: self)
  }
}

/// A value that can be used on any thread: reading it gives the value in a realm of the thread that reads.
///
/// ```swift
/// func complete(@ThreadSafe task: Task?) {
///   DispatchQueue.global().async {
///     guard let task, let realm = task.realm else { return }
///     try? realm.write { task.completed = true }
///   }
/// }
/// ```
@propertyWrapper
public final class ThreadSafe<Value: ThreadConfined>: Sendable {
  private struct State: Sendable {
    var reference: ThreadSafeReference<Value>?
    var configuration: Realm.Configuration?
  }

  private let state: Mutex<State>

  /// Wraps a value that is in a realm; nil stands for none.
  public init(wrappedValue: Value?) { state = Mutex(Self.state(for: wrappedValue)) }

  /// The value; nil once it was deleted. A realm that cannot be opened stops the program.
  public var wrappedValue: Value? {
    get { state.withLock { Self.value(&$0) } }
    set {
      let new = Self.state(for: newValue)
      state.withLock { $0 = new }
    }
  }

  private static func state(for value: Value?) -> State {
    guard let value else { return State() }
    guard let realm = value.realm else {
      Misuse.stop("Only managed objects may be wrapped as thread safe.")
    }
    return State(reference: ThreadSafeReference(to: value), configuration: realm.configuration)
  }

  private static func value(_ state: inout State) -> Value? {
    guard let reference = state.reference, let configuration = state.configuration else { return nil }
    do {
      let value = reference.resolve(in: try Realm(configuration: configuration))
      state.reference = value.map { ThreadSafeReference(to: $0) }
      return value
    } catch {
      Misuse.stop("\(error)")
    }
  }
}

// MARK: - What can be referred to

/// The types that conform to `ThreadConfined`.
protocol Referable {
  func makeReference() -> ReferenceHandle
  static func resolve(_ reference: ReferenceHandle, in realm: _RealmHandle) -> Self?
}

extension ObjectBase: ThreadConfined {}

extension ObjectBase: Referable {
  func makeReference() -> ReferenceHandle {
    guard let managed = _managed else { fatalError("An object in no realm has no reference.") }
    return ReferenceHandle(to: managed)
  }

  static func resolve(_ reference: ReferenceHandle, in realm: _RealmHandle) -> Self? {
    reference.object(in: realm).map { realm.wrapFound(self, takingOver: $0) }
  }
}

extension _PersistedCollection: Referable {
  final func makeReference() -> ReferenceHandle { ReferenceHandle(to: observable) }

  final class func resolve(_ reference: ReferenceHandle, in realm: _RealmHandle) -> Self? {
    reference.collection(kind, in: realm).map { Self(takingOver: $0) }
  }
}

extension List: ThreadConfined {}
extension MutableSet: ThreadConfined {}
extension Map: ThreadConfined {}

extension Results: Referable {
  func makeReference() -> ReferenceHandle { ReferenceHandle(to: box) }

  static func resolve(_ reference: ReferenceHandle, in realm: _RealmHandle) -> Self? {
    reference.results(in: realm).map { Results($0, realm) }
  }
}

extension Projection: Referable {
  func makeReference() -> ReferenceHandle { rootObject.makeReference() }

  static func resolve(_ reference: ReferenceHandle, in realm: _RealmHandle) -> Self? {
    Root.resolve(reference, in: realm).map { Self(projecting: $0) }
  }
}

// MARK: - What is made of results

/// A value that is made of results, to which its references lead.
protocol DerivedFromResults: Referable {
  associatedtype Row: RealmCollectionValue

  /// The results of which the value is made.
  var origin: Results<Row> { get }
  /// Makes the same of the results in another realm. Keeps nothing that belongs to the realm of this value.
  var derivation: (Results<Row>) -> Self { get }
}

/// A derivation on the way to another thread.
private struct Derivation<Row: RealmCollectionValue, Value: DerivedFromResults>: AnyDerivation,
  @unchecked Sendable
{
  // What it keeps of the program, a key path or the function that finds section keys, is called with objects of the
  // thread that calls it.
  let make: (Results<Row>) -> Value

  var type: any Referable.Type { Value.self }
}

/// A derivation of values of any type.
private protocol AnyDerivation {
  var type: any Referable.Type { get }
}

extension ReferenceHandle {
  /// The type of the value that is made of the results to which this leads; nil if there is none.
  var derivedType: (any Referable.Type)? { (derivation as? any AnyDerivation)?.type }
}

extension DerivedFromResults {
  func makeReference() -> ReferenceHandle {
    ReferenceHandle(to: origin.box, derivation: Derivation(make: derivation))
  }

  static func resolve(_ reference: ReferenceHandle, in realm: _RealmHandle) -> Self? {
    guard let derivation = reference.derivation as? Derivation<Row, Self> else { return nil }
    return Results<Row>.resolve(reference, in: realm).map(derivation.make)
  }
}

extension AnyRealmCollection: DerivedFromResults {
  var origin: Results<Element> { _results }
  var derivation: (Results<Element>) -> AnyRealmCollection { { AnyRealmCollection($0) } }
}

extension LinkingObjects: DerivedFromResults {
  /// Whether the realm was invalidated since. A deleted object has no linking objects.
  public var isInvalidated: Bool { results?.isInvalidated ?? false }

  var origin: Results<Element> { managed }
  var derivation: (Results<Element>) -> LinkingObjects {
    let propertyName = propertyName
    return { LinkingObjects($0, propertyName) }
  }
}

extension SectionedResults: DerivedFromResults {
  var origin: Results<SectionElement> { elements.results }
  var derivation: (Results<SectionElement>) -> SectionedResults {
    let sectioned = elements.derivation
    return { SectionedResults(elements: sectioned($0)) }
  }
}

extension ResultsSection: DerivedFromResults {
  var origin: Results<Element> { elements.results }
  var derivation: (Results<Element>) -> ResultsSection {
    let (key, sectioned) = (key, elements.derivation)
    return { ResultsSection(key: key, elements: sectioned($0)) }
  }
}
