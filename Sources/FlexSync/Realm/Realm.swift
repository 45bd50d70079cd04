// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A database of objects: a file on this device, which follows a server if its configuration has a user.
///
/// A realm, its objects and its results belong to the thread or actor that opened it.
public struct Realm {
  let handle: _RealmHandle

  init(_ handle: _RealmHandle) { self.handle = handle }

  /// Opens a realm with what is on the device; syncing goes on in the background, and no network is needed.
  ///
  /// - Throws: `Realm.Error` for a file that cannot be opened or a schema that contradicts it.
  public init(configuration: Configuration = .defaultConfiguration) throws {
    handle = try _RealmHandle.open(configuration)
    handle.refreshOnMainQueueIfOpenedThere()
  }

  /// The configuration that the realm was opened with.
  public var configuration: Configuration { handle.configuration }

  /// Whether there are no objects of the classes that this realm was used with.
  public var isEmpty: Bool {
    (0..<flx_realm_class_count(handle.pointer)).allSatisfy { index in
      var info = flx_class_info_t()
      var results: OpaquePointer?
      var count = 0
      mustSucceed { flx_realm_class_at(handle.pointer, index, &info, $0) }
      mustSucceed { flx_results_create(handle.pointer, info.key, &results, $0) }
      defer { flx_results_release(results) }
      if let results { mustSucceed { flx_results_count(results, &count, $0) } }
      return count == 0
    }
  }

  // MARK: Writing

  /// Runs `block` in a write transaction and commits it: when this returns, the writes survive the end of the process.
  /// If the block throws, nothing has happened.
  ///
  /// - Throws: what the block throws; `Realm.Error` if the transaction cannot be begun or committed, or if something in it
  ///   was refused, such as an object of a class without subscription (`noSubscriptionForWrite`).
  @discardableResult
  public func write<Result>(_ block: () throws -> Result) throws -> Result {
    try handle.beginWrite()
    do {
      let result = try block()
      if handle.isInWrite { try handle.commitWrite() }
      return result
    } catch {
      if handle.isInWrite { try handle.cancelWrite() }
      throw error
    }
  }

  /// Begins a write transaction; it must be followed by `commitWrite` or `cancelWrite`.
  public func beginWrite() {
    do { try handle.beginWrite() } catch { preconditionFailure("\(error)") }
  }

  /// Commits the write transaction. See `write`.
  public func commitWrite() throws { try handle.commitWrite() }

  /// Takes back everything since `beginWrite`.
  public func cancelWrite() {
    do { try handle.cancelWrite() } catch { preconditionFailure("\(error)") }
  }

  public var isInWriteTransaction: Bool { handle.isInWrite }

  /// What happens if an object with the same primary key exists.
  public enum UpdatePolicy: Sendable {
    /// The transaction fails.
    case error
    /// The properties of the new object are written to the old one.
    case modified
    /// The same as `modified`.
    case all
  }

  /// Makes an object, and those it links to, part of the realm.
  public func add(_ object: Object, update: UpdatePolicy = .error) { handle.add(object, update: update) }

  /// Makes objects part of the realm.
  public func add<Objects: Sequence>(_ objects: Objects, update: UpdatePolicy = .error)
  where Objects.Element: Object {
    for object in objects { handle.add(object, update: update) }
  }

  /// Creates an object from values by property name, such as `["_id": id, "taskName": "Write"]`.
  @discardableResult
  public func create<ObjectType: Object>(
    _ type: ObjectType.Type,
    value: [String: Any] = [:],
    update: UpdatePolicy = .error
  ) -> ObjectType {
    handle.create(type, value, update: update)
  }

  /// Deletes an object: links to it become nil, and it disappears from lists.
  public func delete(_ object: Object) {
    guard let managed = object._managed, managed.realm === handle else {
      preconditionFailure("Can only delete an object from the Realm it belongs to.")
    }
    handle.perform { flx_object_delete(managed.pointer, $0) }
  }

  /// Deletes objects.
  public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: Object {
    for object in Array(objects) { delete(object) }
  }

  /// Deletes all objects of results.
  public func delete<Element: Object>(_ results: Results<Element>) {
    handle.perform { flx_results_delete_all(results.pointer, $0) }
  }

  // MARK: Reading

  /// All objects of a class, in the order of insertion; live.
  public func objects<Element: Object>(_ type: Element.Type) -> Results<Element> {
    var pointer: OpaquePointer?
    mustSucceed { flx_results_create(handle.pointer, handle.binding(of: type).classKey, &pointer, $0) }
    return Results(takingOver: pointer, handle)
  }

  /// The object with a primary key, or nil.
  public func object<Element: Object, Key: RealmCollectionValue>(
    ofType type: Element.Type,
    forPrimaryKey key: Key
  ) -> Element? {
    let binding = handle.binding(of: type)
    let row = key._withFlex(handle) { handle.find(binding, $0) }
    return row.map { handle.wrap(type, takingOver: $0) }
  }

  /// Moves to the newest data and delivers notifications. Returns whether the data had changed.
  @discardableResult
  public func refresh() -> Bool {
    var hasChanged = false
    trapOnMisuse { flx_realm_refresh(handle.pointer, &hasChanged, $0) }
    return hasChanged
  }

  /// What a realm tells its observers.
  public enum Notification: Sendable {
    case didChange
  }

  /// Observes any change of the realm until the token is invalidated or released.
  public func observe(_ block: @escaping (Notification, Realm) -> Void) -> NotificationToken {
    let handle = handle
    return NotificationToken.make { [unowned handle] box, token, error in
      flx_realm_observe(
        handle.pointer,
        { userdata, _ in callRealmObserver(userdata) },
        box,
        freeCallbackBox,
        token,
        error
      )
    } callback: { [weak handle] in
      if let handle { block(.didChange, Realm(handle)) }
    }
  }

  // MARK: Files

  /// Deletes the files of a realm that is not open. Returns false if there were none.
  ///
  /// - Throws: `Realm.Error` with code `alreadyOpen` while it is open in this process.
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    var wasDeleted = false
    try configuration.withFlexConfiguration { config in
      try check { flx_realm_delete_files(config, &wasDeleted, $0) }
    }
    return wasDeleted
  }

  /// Whether the file of a configuration exists.
  public static func fileExists(for configuration: Configuration) -> Bool {
    var exists = false
    configuration.withFlexConfiguration { config in mustSucceed { flx_realm_file_exists(config, &exists, $0) }
    }
    return exists
  }
}

private func callRealmObserver(_ userdata: UnsafeMutableRawPointer?) {
  CallbackBox<() -> Void>.callback(in: userdata)()
}
