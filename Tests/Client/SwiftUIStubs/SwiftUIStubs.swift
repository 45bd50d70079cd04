// SPDX-License-Identifier: Apache-2.0

import OpenCombine

// The types of SwiftUI that FlexSync's property wrappers use, with the least that tests of the wrappers need: no views are
// shown, and nothing is updated.

/// A property wrapper of a view.
public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value> {
  private let get: @Sendable () -> Value
  private let set: @Sendable (Value) -> Void

  @preconcurrency
  public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
    self.get = get
    self.set = set
  }

  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  public var projectedValue: Binding<Value> { self }

  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
    let (get, set) = (get, set)
    nonisolated(unsafe) let keyPath = keyPath
    return Binding<Subject> {
      get()[keyPath: keyPath]
    } set: { subject in
      var value = get()
      value[keyPath: keyPath] = subject
      set(value)
    }
  }
}

@MainActor
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
  private final class Box {
    let make: () -> ObjectType
    lazy var object = make()

    init(_ make: @escaping () -> ObjectType) { self.make = make }
  }

  private let box: Box

  public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { box = Box(thunk) }

  public var wrappedValue: ObjectType { box.object }
}

@MainActor
@propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
  public var wrappedValue: ObjectType

  public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
}

// MARK: - The environment

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  /// The environment of every view.
  @MainActor public static var current = EnvironmentValues()

  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
  private let keyPath: KeyPath<EnvironmentValues, Value>

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

  @MainActor public var wrappedValue: Value { EnvironmentValues.current[keyPath: keyPath] }
}

// MARK: - Views

@MainActor
public protocol View {}

public struct Text {
  public init(_ key: LocalizedStringKey) {}
  public init(_ content: some StringProtocol) {}
}

public struct LocalizedStringKey: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) {}
}

public struct SearchFieldPlacement: Sendable {
  public static let automatic = SearchFieldPlacement()
}

public struct SearchableView: View {}

extension View {
  public func searchable(
    text: Binding<String>,
    placement: SearchFieldPlacement = .automatic,
    prompt: Text? = nil
  ) -> some View { SearchableView() }
}
