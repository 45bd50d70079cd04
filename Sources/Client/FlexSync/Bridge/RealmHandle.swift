// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A reference to an open realm, shared by everything obtained through one `Realm`.
///
/// Several may refer to the same `LiveRealm`, which is what makes realms equal. Every object of the realm counts a
/// reference to this one, so nothing refers to it weakly.
public final class _RealmHandle {
  let live: LiveRealm
  let pointer: OpaquePointer
  /// Whether the realm stays on one version, and may be used by several threads at once.
  @usableFromInline let isFrozen: Bool

  init(_ live: LiveRealm) {
    self.live = live
    pointer = live.pointer
    isFrozen = live.isFrozen
  }

  /// Runs `body` while no other thread uses the realm, if several may: they would take away text that the library lends
  /// to `body`.
  @inlinable
  func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard isFrozen else { return try body() }
    lock()
    defer { unlock() }
    return try body()
  }

  @usableFromInline func lock() { flx_realm_lock(pointer) }
  @usableFromInline func unlock() { flx_realm_unlock(pointer) }

  var configuration: Realm.Configuration { live.configuration }

  /// Whether both refer to the same realm, so that objects of one can be used with the other.
  func isSame(as other: _RealmHandle) -> Bool { pointer == other.pointer }

  var path: String { String(flx_realm_path(pointer)) }

  var isSynced: Bool { flx_realm_is_synced(pointer) }

  /// The sync session of the realm; nil for a local realm.
  var session: SyncSession? {
    flx_realm_get_session(pointer).map { SyncSession(SessionHandle(takingOver: $0)) }
  }

  // MARK: Classes

  /// Returns the keys of a class in this realm. A class that the realm does not have yet is added.
  func binding(of type: ObjectBase.Type) -> _ClassBinding { reading { requiredBinding(of: type) } }

  private func requiredBinding(of type: ObjectBase.Type) -> _ClassBinding {
    if let known = live.bindings[ObjectIdentifier(type)] { return known }
    Misuse.require(
      type != DynamicObject.self,
      "A DynamicObject is found and created by the name of its class."
    )
    if type == Object.self { stopForUnknownClass("Object") }
    requireClasses([type])
    guard let binding = live.bindings[ObjectIdentifier(type)] else {
      fatalError("class \(type) was registered but cannot be found")
    }
    return binding
  }

  /// Adds classes to the realm that it does not have yet; a class that contradicts the file stops the program.
  func requireClasses(_ types: [ObjectBase.Type]) {
    let missing = types.filter { live.bindings[ObjectIdentifier($0)] == nil }
    if missing.isEmpty { return }
    do { try register(missing) } catch { Misuse.stop("\(error)") }
  }

  /// Adds classes, and those they link to, to the realm.
  func register(_ types: [ObjectBase.Type]) throws {
    let classes = DiscoveredClass.closure(of: types).filter {
      live.bindings[ObjectIdentifier($0.type)] == nil
    }
    try withClassInfos(classes) { infos in
      guard let base = infos.baseAddress else { return }
      live.prepareForChange()
      try check { flx_realm_add_classes(pointer, base, infos.count, $0) }
    }
    try bind(classes)
  }

  /// Looks up the keys of classes that the realm has.
  func bind(_ classes: [DiscoveredClass]) throws {
    // They have the Swift names of properties.
    live.dynamicBindings = [:]
    for discovered in classes {
      live.bindings[ObjectIdentifier(discovered.type)] = try makeBinding(of: discovered)
    }
  }

  /// Looks up the keys of those of the classes that the realm has.
  func bindPresent(_ classes: [DiscoveredClass]) throws {
    try bind(classes.filter { hasClass(named: $0.name) })
  }

  private func makeBinding(of discovered: DiscoveredClass) throws -> _ClassBinding {
    var classInfo = flx_class_info_t()
    try check { error in
      discovered.name.withFlexString { flx_realm_find_class(pointer, $0, &classInfo, error) }
    }
    var keys: [_PropertyKey] = []
    var primaryKeyOrdinal: Int?
    for property in discovered.properties {
      var info = flx_property_info_t()
      try check { error in
        property.columnName.withFlexString {
          flx_realm_find_property(pointer, classInfo.key, $0, &info, error)
        }
      }
      if info.is_primary_key { primaryKeyOrdinal = keys.count }
      keys.append(_PropertyKey(info.key))
    }
    keys += discovered.backlinks.indices.map { _PropertyKey(position: $0) }
    return _ClassBinding(
      classKey: classInfo.key,
      propertyKeys: keys,
      discovered: discovered,
      primaryKeyOrdinal: primaryKeyOrdinal
    )
  }

  /// The names of the classes of the realm.
  var classNames: [String] {
    (0..<flx_realm_class_count(pointer)).map { index in
      var info = flx_class_info_t()
      mustSucceed { flx_realm_class_at(pointer, index, &info, $0) }
      return String(info.name)
    }
  }

  /// The Swift class with a name in the schema; nil if there is none. A realm without `objectTypes` gets the class.
  func swiftClass(named name: String) -> DiscoveredClass? {
    if let known = reading({ live.bindings.values.first { $0.discovered.name == name } }) {
      return known.discovered
    }
    guard configuration.objectTypes == nil, let type = ProgramClasses.named(name) else { return nil }
    return binding(of: type).discovered
  }

  /// The Swift class that the program uses with this realm for a class; nil if there is none.
  func swiftClass(_ key: flx_class_key_t) -> DiscoveredClass? {
    reading { live.bindings.values.first { $0.classKey == key }?.discovered }
  }

  /// All objects of each top-level class of the realm.
  var allClasses: [ResultsBox] {
    (0..<flx_realm_class_count(pointer)).compactMap { index in
      var info = flx_class_info_t()
      mustSucceed { flx_realm_class_at(pointer, index, &info, $0) }
      return info.kind == .FLX_CLASS_TOP_LEVEL ? allObjects(info.key) : nil
    }
  }

  /// All objects of a class that the realm has.
  func allObjects(ofClass name: String) throws -> ResultsBox {
    var info = flx_class_info_t()
    try name.withFlexString { name in try check { flx_realm_find_class(pointer, name, &info, $0) } }
    return ResultsBox(takingOver: try makeHandle { flx_results_create(pointer, info.key, &$0, $1) })
  }

  /// All objects of a class.
  func allObjects(_ key: flx_class_key_t) -> ResultsBox {
    ResultsBox(takingOver: makeHandleOrTrap { flx_results_create(pointer, key, &$0, $1) })
  }

  // MARK: Transactions

  var isInWrite: Bool { flx_realm_is_in_write(pointer) }

  func beginWrite() throws {
    if isInWrite { Misuse.stop("The Realm is already in a write transaction") }
    live.prepareForChange()
    live.transactionFailure = nil
    let refusal = failure { flx_realm_begin_write(pointer, $0) }
    // A turn that was requested is used up or lost.
    live.asyncWrites.noteBegun()
    guard let refusal else { return live.keepInWrite() }
    live.asyncWrites.noteEnded(self)
    throw refusal.publicError
  }

  /// Requests the turn for the next write transaction, until the token ends.
  ///
  /// - Parameter ready: called on any thread once the turn has come, possibly before this returns.
  func requestWrite(_ ready: @escaping @Sendable () -> Void) -> NotificationToken {
    NotificationToken.make(
      { flx_realm_request_write(pointer, callWriteTurn, $0, freeCallbackBox, $1, $2) },
      callback: ready
    )
  }

  /// - Parameter tokens: the observers of this realm that are not told of the transaction.
  func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    guard isInWrite else { Misuse.stop("Can't commit a non-existing write transaction") }
    defer { live.keepInWrite() }
    if let failure = live.transactionFailure {
      try cancelWrite()
      throw failure.publicError
    }
    let refusal = NotificationToken.withPointers(tokens) { tokens in
      failure { flx_realm_commit_write_silently(pointer, tokens.baseAddress, tokens.count, $0) }
    }
    guard let refusal else { return live.asyncWrites.noteEnded(self) }
    if refusal.status == .FLX_STATUS_INVALID_ARGUMENT { Misuse.stop(refusal.message) }
    live.asyncWrites.noteEnded(self)
    throw refusal.publicError
  }

  func cancelWrite() throws {
    guard isInWrite else { Misuse.stop("Can't cancel a non-existing write transaction") }
    defer { live.keepInWrite() }
    live.noteChange()
    live.transactionFailure = nil
    defer { live.asyncWrites.noteEnded(self) }
    try check { flx_realm_cancel_write(pointer, $0) }
  }

  /// Stops the program unless objects can be created and deleted.
  func requireWrite() {
    if !isInWrite { Misuse.stop(ChangeTarget.objects.refusal) }
  }

  /// Calls a C function that changes data, for an API that cannot throw.
  ///
  /// A mistake of the program stops it. The first of any other errors is kept, and the transaction as a whole will fail
  /// with it.
  func perform(
    _ target: ChangeTarget = .property,
    _ change: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t
  ) {
    live.noteChange()
    guard let failure = failure(of: change) else { return }
    if isFrozen {
      Misuse.stop("Attempting to modify a frozen object - call thaw on the Object instance first.")
    }
    if let exception = failure.exception(target) { Misuse.stop(exception) }
    guard isInWrite else { Misuse.stop(failure.message) }
    if live.transactionFailure == nil { live.transactionFailure = failure }
  }

  // MARK: Objects

  func wrap<ObjectType: ObjectBase>(_ type: ObjectType.Type, takingOver object: OpaquePointer) -> ObjectType {
    wrap(type, binding(of: type), takingOver: object)
  }

  func wrap<ObjectType: ObjectBase>(
    _ type: ObjectType.Type,
    _ binding: _ClassBinding,
    takingOver object: OpaquePointer
  ) -> ObjectType {
    wrap(type, _ManagedObject(takingOver: object, self, binding))
  }

  func wrap<ObjectType: ObjectBase>(_ type: ObjectType.Type, _ managed: _ManagedObject) -> ObjectType {
    let wrapped = type.init()
    wrapped._managed = managed
    // Counts no references, because loops wrap many objects.
    let binding = Unmanaged.passUnretained(managed.binding)
    binding._withUnsafeGuaranteedRef { binding in
      Unmanaged.passUnretained(binding.discovered)._withUnsafeGuaranteedRef { $0.number(wrapped) }
    }
    return wrapped
  }

  func object<ObjectType: ObjectBase>(_ type: ObjectType.Type, linkedBy link: flx_link_t) -> ObjectType? {
    var object: OpaquePointer?
    trapOnFailure { flx_object_get_linked(pointer, link, &object, $0) }
    guard type == DynamicObject.self else { return object.map { wrap(type, takingOver: $0) } }
    return object.map { wrap(type, dynamicBinding(link.target_class), takingOver: $0) }
  }

  /// Returns the object that a link points to, of any class: a dynamic object if the program does not use the class
  /// with this realm.
  func anyObject(linkedBy link: flx_link_t) -> Object? {
    let known = reading { live.bindings.values.first { $0.classKey == link.target_class } }
    let binding = known ?? dynamicBinding(link.target_class)
    var object: OpaquePointer?
    trapOnFailure { flx_object_get_linked(pointer, link, &object, $0) }
    return object.flatMap { wrap(binding.discovered.type, binding, takingOver: $0) as? Object }
  }

  func find(_ binding: _ClassBinding, _ key: _Value) -> OpaquePointer? {
    var object: OpaquePointer?
    key.lend { key in trapOnFailure { flx_object_find(pointer, binding.classKey, key, &object, $0) } }
    return object
  }

  /// Finds or creates the row with a primary key; nil if that failed, in which case the transaction will fail.
  func makeRow(_ binding: _ClassBinding, _ key: _Value, _ update: Realm.UpdatePolicy)
    -> (object: _ManagedObject, isNew: Bool)?
  {
    if update != .error, let row = find(binding, key) {
      return (_ManagedObject(takingOver: row, self, binding), false)
    }
    var row: OpaquePointer?
    key.lend { key in
      perform(.objects) { flx_object_create(pointer, binding.classKey, key, &row, $0) }
    }
    return row.map { (_ManagedObject(takingOver: $0, self, binding), true) }
  }

  /// Runs `body`; objects added during it because others link to them follow `policy`.
  func addingLinks(_ policy: Realm.UpdatePolicy, _ body: () -> Void) {
    let outer = live.linkPolicy
    live.linkPolicy = policy
    defer { live.linkPolicy = outer }
    body()
  }
}

private let callWriteTurn: flx_write_turn_t = { box in
  CallbackBox<@Sendable () -> Void>.callback(in: box)()
}
