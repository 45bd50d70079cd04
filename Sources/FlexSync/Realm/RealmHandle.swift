// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An open realm: what `Realm` and everything obtained from it share.
public final class _RealmHandle {
  let pointer: OpaquePointer
  let configuration: Realm.Configuration
  /// The first error of the write transaction that is open; the transaction as a whole will fail with it.
  private var transactionFailure: StatusError?
  private var bindings: [ObjectIdentifier: _ClassBinding] = [:]
  /// The update block that is running, if any.
  var openUpdate: SubscriptionUpdate?
  /// False for the handle that the library lends to an initial-subscriptions callback.
  private let isOwned: Bool

  init(_ pointer: OpaquePointer, _ configuration: Realm.Configuration, isOwned: Bool = true) {
    self.pointer = pointer
    self.configuration = configuration
    self.isOwned = isOwned
  }

  deinit {
    guard isOwned else { return }
    flx_realm_set_changed_callback(pointer, nil, nil, nil)
    flx_realm_release(pointer)
  }

  var path: String { String(flx_realm_path(pointer)) }

  // MARK: Classes

  /// The numbers of a class in this realm. A class that the realm does not have yet is added.
  func binding(of type: Object.Type) -> _ClassBinding {
    if let known = bindings[ObjectIdentifier(type)] { return known }
    do { try register([type]) } catch { preconditionFailure("\(error)") }
    guard let binding = bindings[ObjectIdentifier(type)] else {
      preconditionFailure("class \(type) was registered and is not known")
    }
    return binding
  }

  /// Adds classes, and those they link to, to the realm.
  func register(_ types: [Object.Type]) throws {
    let classes = DiscoveredClass.closure(of: types).filter { bindings[ObjectIdentifier($0.type)] == nil }
    guard !classes.isEmpty else { return }
    try withClassInfos(classes) { infos in
      try check { flx_realm_add_classes(pointer, infos.baseAddress!, infos.count, $0) }
    }
    try bind(classes)
  }

  /// Looks up the numbers of classes that the realm has.
  func bind(_ classes: [DiscoveredClass]) throws {
    for discovered in classes {
      var classInfo = flx_class_info_t()
      try check { error in
        discovered.name.withFlexString { flx_realm_find_class(pointer, $0, &classInfo, error) }
      }
      var keys: [flx_property_key_t] = []
      for property in discovered.properties {
        var info = flx_property_info_t()
        try check { error in
          property.name.withFlexString { flx_realm_find_property(pointer, classInfo.key, $0, &info, error) }
        }
        keys.append(info.key)
      }
      bindings[ObjectIdentifier(discovered.type)] = _ClassBinding(
        classKey: classInfo.key,
        propertyKeys: keys,
        discovered: discovered
      )
    }
  }

  // MARK: Transactions

  var isInWrite: Bool { flx_realm_is_in_write(pointer) }

  func beginWrite() throws {
    transactionFailure = nil
    try check { flx_realm_begin_write(pointer, $0) }
  }

  func commitWrite() throws {
    if let failure = transactionFailure {
      try cancelWrite()
      throw failure.publicError
    }
    try check { flx_realm_commit_write(pointer, $0) }
  }

  func cancelWrite() throws {
    transactionFailure = nil
    try check { flx_realm_cancel_write(pointer, $0) }
  }

  /// Calls a C function that changes data, for an API that cannot throw.
  ///
  /// Within a write transaction the first error is kept, so that the transaction fails with it as a whole; outside one
  /// the call itself is a mistake in the program.
  func perform(_ change: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) {
    guard let failure = failure(of: change) else { return }
    guard isInWrite else {
      preconditionFailure("Attempting to modify a realm outside of a write transaction: \(failure.message)")
    }
    if transactionFailure == nil { transactionFailure = failure }
  }

  // MARK: Objects

  func wrap<ObjectType: Object>(_ type: ObjectType.Type, takingOver object: OpaquePointer) -> ObjectType {
    wrap(type, binding(of: type), takingOver: object)
  }

  func wrap<ObjectType: Object>(
    _ type: ObjectType.Type,
    _ binding: _ClassBinding,
    takingOver object: OpaquePointer
  ) -> ObjectType {
    let wrapped = Construction.build(type)
    wrapped._managed = _ManagedObject(takingOver: object, self, binding)
    return wrapped
  }

  func object<ObjectType: Object>(_ type: ObjectType.Type, linkedBy link: flx_link_t) -> ObjectType? {
    var object: OpaquePointer?
    mustSucceed { flx_object_get_linked(pointer, link, &object, $0) }
    return object.map { wrap(type, takingOver: $0) }
  }

  func find(_ binding: _ClassBinding, _ key: UnsafePointer<flx_value_t>) -> OpaquePointer? {
    var object: OpaquePointer?
    trapOnMisuse { flx_object_find(pointer, binding.classKey, key, &object, $0) }
    return object
  }

  /// Makes an unmanaged object a row of the realm.
  func add(_ object: Object, update: Realm.UpdatePolicy) {
    if let managed = object._managed {
      if managed.realm !== self { preconditionFailure("Object is already managed by another Realm") }
      return
    }
    let binding = binding(of: type(of: object))
    let properties = persistedProperties(of: object).map(\.persisted)
    guard let keyOrdinal = binding.discovered.primaryKeyOrdinal else {
      preconditionFailure("class \(binding.discovered.name) has no primary key")
    }
    var row: OpaquePointer?
    _ = properties[keyOrdinal].withUnmanagedKey { key in
      if update != .error { row = find(binding, key) }
      if row == nil { perform { flx_object_create(pointer, binding.classKey, key, &row, $0) } }
    }
    guard let row else { return }
    let managed = _ManagedObject(takingOver: row, self, binding)
    // Before the properties are copied, because an object may be reachable from itself.
    object._managed = managed
    for (ordinal, property) in properties.enumerated() where ordinal != keyOrdinal {
      property.copyUnmanaged(to: managed, binding.propertyKeys[ordinal])
    }
  }
}
