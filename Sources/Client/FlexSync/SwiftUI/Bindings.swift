// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// Changes a live value: in a write transaction, unless one is open or the value is in no realm.
func change<Value: ThreadConfined>(_ value: Value, _ block: (Value) -> Void) {
  let live = value.live
  guard let realm = live.realm, !realm.isInWriteTransaction else { return block(live) }
  do { try realm.write { block(live) } } catch { Misuse.stop("\(error)") }
}

extension Binding {
  /// A binding of a property, which writes to the realm of the object.
  ///
  /// - Parameters:
  ///   - read: makes of the property what a view gets.
  ///   - isChange: whether to write a value in place of another.
  ///   - note: called after each change.
  @MainActor
  init<Root: ThreadConfined>(
    of root: Root,
    _ keyPath: ReferenceWritableKeyPath<Root, Value>,
    read: @escaping (Value) -> Value = { $0 },
    isChange: @escaping (Value, Value) -> Bool = { _, _ in true },
    note: @escaping () -> Void = {}
  ) {
    Misuse.require(!root.isInvalidated, "Could not bind value")
    let root = root.live
    // Shown after the object was deleted.
    var last = root[keyPath: keyPath]
    let source = BindingSource {
      if !root.isInvalidated { last = read(root[keyPath: keyPath]) }
      return last
    } set: { value in
      guard !root.isInvalidated, isChange(root[keyPath: keyPath], value) else { return }
      change(root) { $0[keyPath: keyPath] = value }
      note()
    }
    self.init(source)
  }

  /// A binding of a property with a collection, which a view gets frozen.
  @MainActor
  init<Root: ThreadConfined>(
    ofCollection root: Root,
    _ keyPath: ReferenceWritableKeyPath<Root, Value>,
    note: @escaping () -> Void = {}
  ) where Value: ThreadConfined {
    self.init(of: root, keyPath, read: { $0.realm == nil ? $0 : $0.freeze() }, note: note)
  }
}

/// The value that a binding reads and writes. Used on the main actor only.
final class BindingSource<Value>: @unchecked Sendable {
  let get: () -> Value
  let set: (Value) -> Void

  init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.get = get
    self.set = set
  }
}

extension Binding {
  /// A binding of what SwiftUI reads and writes on the main actor.
  init(_ source: BindingSource<Value>) { self.init(get: { source.get() }, set: { source.set($0) }) }
}

extension ThreadConfined where Self: ObjectBase {
  /// Returns a binding of a property, which writes to the realm of the object.
  @MainActor
  public func bind<Value: _Persistable & Equatable>(_ keyPath: ReferenceWritableKeyPath<Self, Value>)
    -> Binding<Value>
  {
    Binding(of: self, keyPath, isChange: { $0 != $1 })
  }

  /// Returns a binding of a collection, which writes to the realm of the object.
  @MainActor
  public func bind<Value: _Persistable & _PersistedCollection & ThreadConfined & Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value>
  ) -> Binding<Value> {
    Binding(ofCollection: self, keyPath)
  }
}

extension ThreadConfined where Self: ProjectionObservable {
  /// Returns a binding of a projected property, which writes to the realm of the object.
  @MainActor
  public func bind<Value: _Persistable & Equatable>(_ keyPath: ReferenceWritableKeyPath<Self, Value>)
    -> Binding<Value>
  {
    Binding(of: self, keyPath, isChange: { $0 != $1 })
  }
}

extension Binding where Value: ObjectBase & ThreadConfined {
  /// A binding of a property, which writes to the realm of the object.
  @MainActor
  public subscript<Member: _Persistable>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Member>)
    -> Binding<Member>
  {
    Binding<Member>(of: wrappedValue, keyPath)
  }

  /// A binding of a property, which writes to the realm of the object.
  @MainActor
  public subscript<Member: _Persistable & Equatable>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    Binding<Member>(of: wrappedValue, keyPath, isChange: { $0 != $1 })
  }

  /// A binding of a collection, which writes to the realm of the object.
  @MainActor
  public subscript<Member: _Persistable & _PersistedCollection & ThreadConfined & Equatable>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    Binding<Member>(ofCollection: wrappedValue, keyPath)
  }
}

extension Binding where Value: Object {
  /// Deletes the object.
  @MainActor
  public func delete() { change(wrappedValue) { $0.realm?.delete($0) } }
}

extension Binding where Value: ProjectionObservable, Value.Root: ThreadConfined {
  /// Deletes the projected object.
  @MainActor
  public func delete() { change(wrappedValue) { $0.realm?.delete($0.rootObject) } }
}
