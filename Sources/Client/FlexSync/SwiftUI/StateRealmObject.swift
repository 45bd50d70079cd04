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

/// An object, a collection or a projection that a view owns: a source of truth, as `@State` is for values. The view gets it
/// frozen; `$` gives a binding that writes to its realm.
///
/// A change of an object in no realm updates the view only when it is replaced.
@MainActor
@propertyWrapper
public struct StateRealmObject<Value: RealmSubscribable & ThreadConfined & Equatable>: DynamicProperty {
  @StateObject private var storage: ShownValue<Value>

  /// The value as it is now; a new one once it was deleted.
  public var wrappedValue: Value {
    get { storage.shown }
    nonmutating set { storage.value = newValue }
  }

  /// The live value.
  public var projectedValue: Binding<Value> {
    let storage = storage
    return Binding(BindingSource(get: { storage.editable }, set: { storage.value = $0 }))
  }

  private init(_ value: Value, _ replacement: Value) {
    _storage = StateObject(wrappedValue: ShownValue(value, replacement: replacement))
  }

  public init<Element>(wrappedValue: Value) where Value == List<Element> { self.init(wrappedValue, Value()) }

  public init<Element>(wrappedValue: Value) where Value == MutableSet<Element> {
    self.init(wrappedValue, Value())
  }

  public init<Key, Element>(wrappedValue: Value) where Value == Map<Key, Element> {
    self.init(wrappedValue, Value())
  }

  public init(wrappedValue: Value) where Value: ObjectBase & Identifiable { self.init(wrappedValue, Value()) }

  public init(wrappedValue: Value) where Value: ProjectionObservable {
    self.init(wrappedValue, Value(projecting: Value.Root()))
  }

  /// Publishes when the view is to be updated.
  public var _publisher: some Publisher { storage.objectWillChange }
}
