// SPDX-License-Identifier: Apache-2.0

/// A change of an observed object.
public enum ObjectChange<ObjectType> {
  case error(any Error)
  /// Properties have new values.
  case change(ObjectType, [PropertyChange])
  case deleted
}

/// A property of an observed object that changed.
public struct PropertyChange {
  public let name: String
  /// Always nil: values before the change are not kept.
  public let oldValue: Any?
  /// The new value; nil for null.
  public let newValue: Any?
}

/// A protocol that all objects conform to, so `observe` can refer to `Self`.
public protocol _ObservableObject: ObjectBase {}

extension ObjectBase: _ObservableObject {}

extension _ObservableObject {
  /// Observes the object until the token is invalidated or released.
  public func observe(_ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
    guard let managed = _managed else {
      preconditionFailure("Only objects which are managed by a Realm support change notifications")
    }
    return managed.observe { changed in
      block(changed.map { .change(self, self.propertyChanges($0)) } ?? .deleted)
    }
  }
}

extension ObjectBase {
  fileprivate func propertyChanges(_ keys: [_PropertyKey]) -> [PropertyChange] {
    guard let binding = _managed?.binding else { return [] }
    // The positions of linking objects follow the keys of the properties.
    let known = binding.propertyKeys.prefix(binding.discovered.properties.count)
    return keys.compactMap { key in
      guard let ordinal = known.firstIndex(of: key) else { return nil }
      return PropertyChange(
        name: binding.discovered.properties[ordinal].name,
        oldValue: nil,
        newValue: value(of: ordinal, in: binding.discovered).flatMap(plain)
      )
    }
  }
}
