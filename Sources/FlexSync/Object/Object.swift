// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The superclass of an app's models.
///
/// ```swift
/// class Task: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var taskName: String
///   @Persisted var assignee: String?
/// }
/// ```
///
/// An object is a value in memory until it is added to a realm; from then on its properties read and write the realm.
/// It belongs to the thread or actor of its realm. Reading an object that was deleted, and writing one outside a write
/// transaction, stop the program.
open class Object {
  /// The row of the object; nil until it is added to a realm.
  @usableFromInline final var _managed: _ManagedObject?
  /// Set while key paths are being resolved: notes which property is read.
  final var _tracer: PropertyTracer?

  public required init() {}

  /// The realm of the object; nil if it was not added to one.
  public final var realm: Realm? { _managed.map { Realm($0.realm) } }

  /// Whether the object was deleted from its realm.
  public final var isInvalidated: Bool { _managed.map { !flx_object_is_valid($0.pointer) } ?? false }

  /// Whether two objects are the same row of the same file.
  public final func isSameObject(as other: Object?) -> Bool {
    guard let other else { return false }
    guard let mine = _managed, let theirs = other._managed else { return self === other }
    let left = flx_object_link(mine.pointer)
    let right = flx_object_link(theirs.pointer)
    return left.row == right.row && mine.binding.discovered.name == theirs.binding.discovered.name
      && mine.realm.path == theirs.realm.path
  }

  /// Observes the object until the token is invalidated or released.
  public final func observe(_ block: @escaping (ObjectChange) -> Void) -> NotificationToken {
    guard let managed = _managed else {
      preconditionFailure("Only objects which are managed by a Realm support change notifications")
    }
    let properties = managed.binding
    return NotificationToken.make { box, token, error in
      flx_object_observe(managed.pointer, { callObjectObserver($0, $1) }, box, freeCallbackBox, token, error)
    } callback: { (changes: flx_object_changes_t) in
      block(ObjectChange(changes, properties))
    }
  }
}

/// What happened to an observed object.
public enum ObjectChange {
  /// The names of the properties that have other values now.
  case change(properties: [String])
  case deleted

  init(_ changes: flx_object_changes_t, _ binding: _ClassBinding) {
    guard !changes.is_deleted else {
      self = .deleted
      return
    }
    let keys = UnsafeBufferPointer(start: changes.properties, count: changes.property_count)
    self = .change(
      properties: keys.compactMap { key in
        binding.propertyKeys.firstIndex(of: key).map { binding.discovered.properties[$0].name }
      }
    )
  }
}

private func callObjectObserver(
  _ userdata: UnsafeMutableRawPointer?,
  _ changes: UnsafePointer<flx_object_changes_t>
) {
  CallbackBox<(flx_object_changes_t) -> Void>.callback(in: userdata)(changes.pointee)
}

extension Object: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_LINK, linkTarget: self) }

  public static func _defaultValue() -> Self { Self() }

  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Self {
    guard let object = realm.object(self, linkedBy: value.link) else {
      preconditionFailure("an object of class \(self) was deleted while it was read")
    }
    return object
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    if _managed == nil, let realm { realm.add(self, update: .error) }
    var value = flx_value_t()
    value.type = .FLX_TYPE_NULL
    // An object that could not be added has left its error with the transaction, which will fail as a whole.
    if let managed = _managed {
      value.type = .FLX_TYPE_LINK
      value.link = flx_object_link(managed.pointer)
    }
    return body(&value)
  }
}

extension Object: Equatable, Hashable {
  /// Objects with a primary key are equal if they are the same row; others if they are the same instance.
  public static func == (left: Object, right: Object) -> Bool { left.isSameObject(as: right) }

  public func hash(into hasher: inout Hasher) {
    if let managed = _managed {
      hasher.combine(flx_object_link(managed.pointer).row)
    } else {
      hasher.combine(ObjectIdentifier(self))
    }
  }
}
