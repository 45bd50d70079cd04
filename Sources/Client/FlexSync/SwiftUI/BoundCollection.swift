// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// A collection that a view shows and edits. Each edit is a write transaction, unless one is open.
@MainActor
public protocol BoundCollection {
  associatedtype Value
  associatedtype Element: RealmCollectionValue
  /// The collection.
  var wrappedValue: Value { get }
}

extension BoundCollection where Value == List<Element> {
  /// Removes the element at an index.
  public func remove(at index: Int) { change(wrappedValue) { $0.remove(at: index) } }

  /// Removes the elements at offsets, as `onDelete` of a view gives them.
  public func remove(atOffsets offsets: IndexSet) { change(wrappedValue) { $0.remove(atOffsets: offsets) } }

  /// Moves elements, as `onMove` of a view asks for.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    change(wrappedValue) { $0.move(fromOffsets: offsets, toOffset: destination) }
  }

  /// Appends an element.
  public func append(_ value: Element) { change(wrappedValue) { $0.append(value) } }
}

extension BoundCollection where Value == List<Element>, Element: ObjectBase & ThreadConfined {
  /// Appends an object, which may be frozen.
  public func append(_ value: Element) { change(wrappedValue) { $0.append(value.live) } }
}

extension BoundCollection where Value == MutableSet<Element> {
  /// Removes an element.
  public func remove(_ element: Element) { change(wrappedValue) { $0.remove(element) } }

  /// Inserts an element.
  public func insert(_ value: Element) { change(wrappedValue) { $0.insert(value) } }
}

extension BoundCollection where Value == MutableSet<Element>, Element: ObjectBase & ThreadConfined {
  /// Removes an object, which may be frozen.
  public func remove(_ object: Element) { change(wrappedValue) { $0.remove(object.live) } }

  /// Inserts an object, which may be frozen.
  public func insert(_ value: Element) { change(wrappedValue) { $0.insert(value.live) } }
}

extension BoundCollection where Value == Results<Element>, Element: ObjectBase & ThreadConfined {
  /// Deletes an object if it is among the results.
  public func remove(_ object: Element) {
    guard let object = object.thaw() else { return }
    change(wrappedValue) { results in
      if results.index(of: object) != nil { results.realm?.delete(object) }
    }
  }

  /// Deletes the objects at offsets, as `onDelete` of a view gives them.
  public func remove(atOffsets offsets: IndexSet) {
    // The offsets are those of the results that the view shows.
    let objects = offsets.compactMap { wrappedValue[$0].live }
    change(wrappedValue) { $0.realm?.delete(objects.filter { !$0.isInvalidated }) }
  }
}

extension BoundCollection where Value == Results<Element>, Element: Object {
  /// Adds an object to the realm.
  public func append(_ value: Element) { change(wrappedValue) { $0.realm?.add(value.live) } }
}

extension BoundCollection
where Value == Results<Element>, Element: ProjectionObservable & ThreadConfined, Element.Root: Object {
  /// Adds the projected object to the realm.
  public func append(_ value: Element) { change(wrappedValue) { $0.realm?.add(value.rootObject.live) } }
}

extension Binding: BoundCollection where Value: RealmCollection {
  public typealias Element = Value.Element
  public typealias Index = Value.Index
  public typealias Indices = Value.Indices
}

/// A map that a view shows and edits. Each edit is a write transaction, unless one is open.
@MainActor
public protocol BoundMap {
  associatedtype Value: RealmKeyedCollection
  /// The map.
  var wrappedValue: Value { get }
}

extension BoundMap {
  /// The value of a key; nil if there is none.
  public subscript(key: Value.Key) -> Value.Value? { wrappedValue[key] }

  /// Sets the value of a key; nil removes it.
  public func set(object: Value.Value?, for key: Value.Key) {
    change(wrappedValue) { map in
      guard let object else { return map.removeObject(for: key) }
      map.updateValue(object, forKey: key)
    }
  }
}

extension Binding: BoundMap where Value: RealmKeyedCollection {}
