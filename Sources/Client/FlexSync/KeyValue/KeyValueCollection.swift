// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A collection whose elements have values by name.
public protocol _KeyValueCollection {
  /// The elements as programs get them by name.
  var _keyValueElements: [Any?] { get }
  /// Puts the values of the elements by name into an array or a set.
  func _gather(_ values: [Any?]) -> Any
  /// Computes aggregates of a property; nil if the collection has no way of its own.
  var _aggregates: _KeyValueAggregates? { get }
  /// Replaces each element.
  func _setElements(_ value: Any?)
}

/// Computes the aggregates of a property.
public struct _KeyValueAggregates {
  let compute: (Aggregate, _ key: String) -> Any?
}

extension _KeyValueCollection {
  public var _aggregates: _KeyValueAggregates? { nil }
  public func _gather(_ values: [Any?]) -> Any { listed(values) }

  private var elements: KeyValueElements { KeyValueElements(_keyValueElements) }

  /// The values of a property of all elements by name, in their order; of a `MutableSet`, the set of them. `self`
  /// stands for the elements themselves.
  public func value(forKey key: String) -> Any? { _gather(elements.values(forKey: key)) }

  /// The values of all elements at the end of a path of names, such as `owner.name`, or what an operator makes of
  /// them: `@count`, `@min`, `@max`, `@sum` and `@avg`, as in `@sum.price`, and `@unionOfObjects`,
  /// `@distinctUnionOfObjects`, `@unionOfArrays` and `@distinctUnionOfArrays`.
  public func value(forKeyPath keyPath: String) -> Any? {
    guard !keyPath.hasPrefix("@") else {
      return elements.value(forKeyPath: keyPath, aggregate: _aggregates?.compute)
    }
    let path = KeyValuePath(keyPath)
    return path.rest == nil ? value(forKey: keyPath) as Any? : elements.value(forKeyPath: keyPath)
  }

  /// Sets a property of all elements, which are objects, by name. `self` stands for the elements of a list or set
  /// themselves.
  public func setValue(_ value: Any?, forKey key: String) {
    if key == "self" { return _setElements(value) }
    // Objects that the collection no longer has once one of them has changed are still to be changed.
    for element in _keyValueElements {
      let projected = (element as? any ProjectionObservable)?.rootObject
      guard let object = projected ?? element as? ObjectBase else { stopForUnknownKey(key, in: self) }
      object.setValue(value, forKey: key)
    }
  }
}

extension _KeyValueCollection where Self: Sequence {
  public var _keyValueElements: [Any?] { map { plainValue($0) } }
}

// MARK: - Lists and sets

extension List {
  public func _setElements(_ value: Any?) {
    let element = required(value)
    for index in indices { self[index] = element }
  }

  /// The values of a property of all elements by name, in their order. `self` stands for the elements themselves; nil
  /// is `NSNull`.
  public func value(forKey key: String) -> [AnyObject] {
    KeyValueElements(_keyValueElements).values(forKey: key).map(boxed)
  }

  /// The values of all elements at the end of a path of names; nil is `NSNull`.
  public func value(forKeyPath keyPath: String) -> [AnyObject] {
    let values: Any? = KeyValueElements(_keyValueElements).value(forKeyPath: keyPath)
    guard let values = values as? [Any] else {
      Misuse.stop(
        "'\(keyPath)' has one value, not one for each element; assign it to a variable of type Any?."
      )
    }
    return values.map { boxed(flattened($0)) }
  }
}

extension MutableSet {
  /// A set, if all values can be elements of one.
  public func _gather(_ values: [Any?]) -> Any {
    let hashable = values.map { ($0 ?? NSNull()) as? AnyHashable }
    return hashable.contains(nil) ? listed(values) : Set(hashable.compactMap(\.self))
  }

  public func _setElements(_ value: Any?) {
    let element = required(value)
    removeAll()
    insert(element)
  }

  /// The values of a property of all elements by name, each once. `self` stands for the elements themselves; nil is
  /// `NSNull`.
  public func value(forKey key: String) -> [AnyObject] {
    let values = KeyValueElements(_keyValueElements).values(forKey: key)
    guard let set = _gather(values) as? Set<AnyHashable> else { return values.map(boxed) }
    return set.map { boxed($0.base) }
  }
}

extension RealmCollection {
  /// The value as an element. Stops the program if it cannot be one.
  fileprivate func required(_ value: Any?) -> Element {
    guard let element = Element._convert(value ?? NSNull()) else {
      let given = value.map { "'\($0)' of type '\(type(of: $0))'" } ?? "'<null>'"
      Misuse.stop("Invalid value \(given) for expected type '\(Element.self)'.")
    }
    return element
  }
}

// MARK: - Results

extension Results {
  public var _aggregates: _KeyValueAggregates? {
    _KeyValueAggregates { function, key in
      aggregate(function, key)
    }
  }

  public func _setElements(_ value: Any?) { stopForUnknownKey("self", in: self) }
}

extension LinkingObjects {
  public func _setElements(_ value: Any?) { stopForUnknownKey("self", in: self) }
}

// MARK: - Maps

extension Map {
  /// The value of a key; nil if there is none, or if it is nil.
  public func value(forKey key: String) -> AnyObject? { plainValue(forKey: key).map(boxed) }

  /// The value at the end of a path of names that begins with a key, or what an operator such as `@count` makes of the
  /// values.
  public func value(forKeyPath keyPath: String) -> AnyObject? { plainValue(forKeyPath: keyPath).map(boxed) }

  /// Sets the value of a key. Nil removes the entry.
  public func setValue(_ value: Any?, forKey key: String) {
    guard let value else { return removeObject(for: Key(_mapKey: key)) }
    guard let converted = Value._convert(value) else {
      Misuse.stop(
        "Invalid value '\(value)' of type '\(type(of: value))' for expected type '\(Value.self)'."
      )
    }
    updateValue(converted, forKey: Key(_mapKey: key))
  }
}

extension _AnyMap {
  func plainValue(forKeyPath keyPath: String) -> Any? {
    if keyPath.hasPrefix("@") {
      return KeyValueElements(anyEntries.map { FlexSync.plainValue($0.value) }).value(forKeyPath: keyPath)
    }
    let path = KeyValuePath(keyPath)
    let value = plainValue(forKey: path.first)
    return path.rest.map { keyedValue(of: value, forKeyPath: $0) } ?? value
  }
}

private func boxed(_ value: Any?) -> AnyObject { (value ?? NSNull()) as AnyObject }
