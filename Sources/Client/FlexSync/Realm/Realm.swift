// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A database of objects: a file on this device, which is synced with a server if its configuration has a user.
///
/// A realm, its objects and its results belong to the thread or actor that opened it. Opening it there again gives the
/// same instance for as long as something of it is in use: both are equal, share a write transaction, and objects of one
/// work with the other. In a task that belongs to no actor, each opening gives an instance of its own. A write transaction
/// begun on an actor may continue after an `await`, on whichever thread that is.
public struct Realm {
  let handle: _RealmHandle

  init(_ handle: _RealmHandle) { self.handle = handle }

  /// Opens a realm with the data on the device. Sync continues in the background; no network is needed.
  ///
  /// - Parameter queue: the serial queue that is running the caller, for a realm that belongs to this queue and refreshes
  ///   on it; nil for a realm of the thread.
  /// - Throws: `Realm.Error` for a file that cannot be opened or a schema that contradicts it;
  ///   `AppError.userLoggedOut` if the user of a synced realm is not logged in.
  public init(configuration: Configuration = .defaultConfiguration, queue: DispatchQueue? = nil) throws {
    if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
    handle = try _RealmHandle.open(configuration, at: queue.map(RealmPlace.init) ?? .current)
  }

  /// Opens a local realm in a file.
  public init(fileURL: URL) throws { try self.init(configuration: Configuration(fileURL: fileURL)) }

  /// The configuration that the realm was opened with.
  public var configuration: Configuration { handle.configuration }

  /// Whether there are no objects of the classes that this realm has been used with.
  public var isEmpty: Bool {
    handle.allClasses.allSatisfy { $0.count == 0 }
  }

  // MARK: Writing

  /// Runs `block` in a write transaction and commits it. Once this returns, the writes survive the end of the
  /// process. If the block throws, nothing takes effect.
  ///
  /// - Parameter tokens: tokens of observers of this realm that are not told of the transaction. A token of another realm,
  ///   or of an observer on another queue or actor, stops the program.
  /// - Throws: the error that the block throws; `Realm.Error` if the transaction cannot be begun or committed, or if
  ///   something in it was refused, such as an object of a class without a subscription (`noSubscriptionForWrite`).
  ///   What the program could have avoided stops it instead, such as an object whose primary key another one has.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [],
    _ block: () throws -> Result
  ) throws -> Result {
    try handle.beginWrite()
    do {
      let result = try block()
      if handle.isInWrite { try handle.commitWrite(withoutNotifying: tokens) }
      return result
    } catch {
      if handle.isInWrite { try handle.cancelWrite() }
      throw error
    }
  }

  /// Begins a write transaction; it must be followed by `commitWrite` or `cancelWrite`.
  public func beginWrite() {
    do { try handle.beginWrite() } catch { Misuse.stop("\(error)") }
  }

  /// Commits the write transaction. See `write`.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    try handle.commitWrite(withoutNotifying: tokens)
  }

  /// Reverts everything since `beginWrite`.
  public func cancelWrite() {
    do { try handle.cancelWrite() } catch { Misuse.stop("\(error)") }
  }

  public var isInWriteTransaction: Bool { handle.isInWrite }

  /// Determines how an existing object with the same primary key is handled.
  public enum UpdatePolicy: Sendable {
    /// The program stops.
    case error
    /// Values that differ are written to the existing object.
    case modified
    /// All values are written to the existing object.
    case all
  }

  /// Adds an object, and those it links to, to the realm.
  public func add(_ object: Object, update: UpdatePolicy = .error) {
    handle.requireWrite()
    object.discovered.requirePrimaryKey(for: update)
    handle.add(object, update: update)
  }

  /// Adds objects, and those they link to, to the realm.
  public func add<Objects: Sequence>(_ objects: Objects, update: UpdatePolicy = .error)
  where Objects.Element: Object {
    for object in objects { add(object, update: update) }
  }

  /// Creates an object from values: a dictionary by property name such as `["_id": id, "taskName": "Write"]`, an
  /// array in the order of the properties, or another object, which is copied. With `update`, the values are written
  /// to an existing object.
  @discardableResult
  public func create<ObjectType: Object>(
    _ type: ObjectType.Type,
    value: Any = [String: Any](),
    update: UpdatePolicy = .error
  ) -> ObjectType {
    handle.requireWrite()
    DiscoveredClass.of(type).requirePrimaryKey(for: update)
    return handle.create(type, value, update: update)
  }

  /// Deletes an object: links to it become nil, and it disappears from lists.
  public func delete(_ object: ObjectBase) {
    guard let managed = object._managed, managed.realm.isSame(as: handle) else {
      Misuse.stop("Can only delete an object from the Realm it belongs to.")
    }
    handle.requireWrite()
    if managed.isValid { managed.delete() }
  }

  /// Deletes objects.
  public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ObjectBase {
    for object in Array(objects) { delete(object) }
  }

  /// Deletes all objects in results.
  public func delete<Element: ObjectBase>(_ results: Results<Element>) {
    results.box.deleteAll(handle)
  }

  /// Deletes all objects of the classes that this realm has been used with.
  public func deleteAll() {
    handle.requireWrite()
    for results in handle.allClasses { results.deleteAll(handle) }
  }

  // MARK: Reading

  /// Returns all objects of a class, or projections of them, in the order of insertion; live.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    guard let rowClass = Element._rowClass else { Misuse.stop("\(type) is not a type of objects") }
    return Results(handle.allObjects(handle.binding(of: rowClass).classKey), handle)
  }

  /// Returns the object with a primary key; nil if there is none, or if the class has no primary key.
  public func object<Element: Object, Key>(ofType type: Element.Type, forPrimaryKey key: Key) -> Element? {
    handle.find(handle.binding(of: type), key).map { handle.wrap(type, takingOver: $0) }
  }

  /// Whether the realm advances to newer data by itself. Realms of the main thread and of actors do, unless this is set
  /// to false; others advance at `refresh` and when a write transaction begins.
  public var autorefresh: Bool {
    get { handle.live.refreshesItself }
    nonmutating set { handle.live.refreshesItself = newValue }
  }

  /// Advances to the newest data and delivers notifications. Returns whether the data has changed.
  @discardableResult
  public func refresh() -> Bool {
    let outcome = handle.live.refresh()
    if let failure = outcome.failure { Misuse.stop(failure.message) }
    return outcome.hasChanged
  }

  /// A notification to the observers of a realm.
  public enum Notification: Sendable {
    /// The data that the realm shows have changed, or a write transaction of the realm has been committed.
    case didChange
    /// There are newer data, and `autorefresh` is off: `refresh` would show them.
    case refreshRequired
  }

  /// Observes the realm until the token is invalidated or released. For write transactions of this realm, `block` is
  /// called before `write` or `commitWrite` returns.
  public func observe(_ block: @escaping (Notification, Realm) -> Void) -> NotificationToken {
    handle.observe { block($0, self) }
  }
}

/// A type of which a realm can return all objects.
public protocol RealmFetchable: RealmCollectionValue {}

extension Object: RealmFetchable {}
extension Projection: RealmFetchable where Root: Object {}

extension Realm: Equatable {
  /// Realms are equal if they are the same instance: see `Realm`.
  public static func == (left: Realm, right: Realm) -> Bool { left.handle.isSame(as: right.handle) }
}
