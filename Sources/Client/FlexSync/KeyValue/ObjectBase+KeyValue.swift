// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Key-value coding, which needs no Objective-C here.
extension ObjectBase {
  /// The value of a property or linking objects by name, as for the subscript; `self` is the object itself.
  public final func value(forKey key: String) -> Any? {
    if let value = storedValue(named: key) { return plain(value) }
    switch key {
    case "self": return self
    case "invalidated", "isInvalidated": return isInvalidated
    default: stopForUnknownKey(key, in: self)
    }
  }

  /// The value at the end of a path of names, such as `owner.name` or `dogs.@count`; nil if a link on the way is nil.
  public final func value(forKeyPath keyPath: String) -> Any? {
    let path = KeyValuePath(keyPath)
    let value = value(forKey: path.first)
    return path.rest.map { keyedValue(of: value, forKeyPath: $0) } ?? value
  }

  /// Sets a property by name. See the subscript.
  public final func setValue(_ value: Any?, forKey key: String) {
    if discovered.ordinal(named: key) == nil { stopForUnknownKey(key, in: self) }
    self[key] = value
  }

  /// Sets the property at the end of a path of names. Does nothing if a link on the way is nil.
  public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
    let path = KeyValuePath(keyPath)
    guard let rest = path.rest else { return setValue(value, forKey: keyPath) }
    switch self.value(forKey: path.first) {
    case nil: break
    case let object as ObjectBase: object.setValue(value, forKeyPath: rest)
    case let map as any _AnyMap: map.setValue(value, forKey: rest)
    case let collection as any _KeyValueCollection: collection.setValue(value, forKey: rest)
    case let other?: stopForUnknownKey(rest, in: other)
    }
  }
}

/// A path of names, cut after the first.
struct KeyValuePath {
  let first: String
  let rest: String?

  init(_ path: String) {
    let parts = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    first = String(parts[0])
    rest = parts.count > 1 ? String(parts[1]) : nil
  }
}

/// The value of any value by name; nil for nil.
func keyedValue(of base: Any?, forKey key: String) -> Any? {
  switch base {
  case nil: nil
  case let object as ObjectBase: object.value(forKey: key)
  case let projection as any ProjectionObservable: projection.rootObject.value(forKey: key)
  case let collection as any _KeyValueCollection: collection.value(forKey: key) as Any?
  case let map as any _AnyMap: map.plainValue(forKey: key)
  case let base?: key == "self" ? base : stopForUnknownKey(key, in: base)
  }
}

/// The value of any value at the end of a path of names; nil for nil.
func keyedValue(of base: Any?, forKeyPath keyPath: String) -> Any? {
  if let collection = base as? any _KeyValueCollection {
    return collection.value(forKeyPath: keyPath) as Any?
  }
  // The values that a collection has returned.
  if let elements = base as? [Any] {
    return KeyValueElements(elements.map(flattened)).value(forKeyPath: keyPath)
  }
  if let map = base as? any _AnyMap { return map.plainValue(forKeyPath: keyPath) }
  if let object = base as? ObjectBase { return object.value(forKeyPath: keyPath) }
  let path = KeyValuePath(keyPath)
  let value = keyedValue(of: base, forKey: path.first)
  return path.rest.map { keyedValue(of: value, forKeyPath: $0) } ?? value
}

func stopForUnknownKey(_ key: String, in value: Any) -> Never {
  Misuse.stop("\(type(of: value)): this class is not key value coding-compliant for the key \(key).")
}
