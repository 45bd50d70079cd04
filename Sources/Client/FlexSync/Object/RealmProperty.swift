// SPDX-License-Identifier: Apache-2.0

/// The common superclass of `RealmProperty` and `RealmOptional`: the value of a property, in an object of its own.
public class _RealmPropertyBox<Value: RealmCollectionValue> {
  /// The value while the object of the property is in no realm; nil until it is set.
  private var unmanaged: Value?
  /// The row that has the property; nil until its object is added to a realm.
  private var managed: _ManagedObject?
  /// The object, if it is one by which the properties on key paths are found.
  private weak var probe: ObjectBase?
  /// The position of the property in its class.
  private(set) var ordinal = -1

  /// Not public: programs create `RealmProperty` and `RealmOptional` only.
  init() {}

  private var currentUnmanaged: Value { unmanaged ?? Value._defaultValue() }

  /// The value. If the property's object is in a realm, it is read there; setting it needs a write transaction.
  public var value: Value {
    get {
      if let probe { probe._tracer?.record(probe, ordinal) }
      guard let managed else { return currentUnmanaged }
      return Value._get(managed, managed.binding.propertyKeys[ordinal])
    }
    set {
      guard let managed else {
        unmanaged = newValue
        return
      }
      Value._set(managed, managed.binding.propertyKeys[ordinal], newValue)
    }
  }
}

/// A property of an object that holds its value in an object of its own: the older form of a `@Persisted` property that
/// is optional or mixed.
///
/// ```swift
/// class Note: Object {
///   @Persisted var title: String
///   let rating = RealmProperty<Int?>()
/// }
/// note.rating.value = 5
/// ```
public final class RealmProperty<Value: RealmPropertyType>: _RealmPropertyBox<Value> {
  /// Creates a property without a value: nil, or `AnyRealmValue.none`.
  public override init() { super.init() }
}

/// The older form of `RealmProperty` for optional numbers and Booleans.
@available(*, deprecated, renamed: "RealmProperty", message: "Use RealmProperty<T?> or @Persisted instead.")
public final class RealmOptional<Value: RealmOptionalType>: _RealmPropertyBox<Value?> {
  /// Creates a property with a value.
  public init(_ value: Value? = nil) {
    super.init()
    self.value = value
  }
}

/// A type that a `RealmProperty` can hold: `AnyRealmValue`, or an optional of a number or Boolean.
public protocol RealmPropertyType: RealmCollectionValue {}

/// A type of which a `RealmProperty` can hold an optional.
public protocol RealmOptionalType: RealmCollectionValue {}

extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType {}

extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Bool: RealmOptionalType {}

// MARK: - Descriptions, comparison, coding

extension _RealmPropertyBox: CustomStringConvertible {
  public var description: String { String(describing: value) }
}

extension _RealmPropertyBox: Equatable where Value: Equatable {
  /// Properties are equal if their values are.
  public static func == (left: _RealmPropertyBox, right: _RealmPropertyBox) -> Bool {
    left.value == right.value
  }
}

extension _RealmPropertyBox: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension RealmProperty: Decodable where Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.singleValueContainer()
    if !container.decodeNil() { value = try container.decode(Value.self) }
  }
}

@available(*, deprecated, message: "Use RealmProperty<T?> or @Persisted instead.")
extension RealmOptional: Decodable where Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(container.decodeNil() ? nil : try container.decode(Value.self))
  }
}

// MARK: - Storage

/// The storage of a property that has an object of its own.
protocol AnyRealmProperty: AnyPersisted {
  /// The position of the property in its class; −1 until it is attached.
  var ordinal: Int { get }

  /// Tells the property at an address which one of an object it is.
  static func attach(at address: UnsafeRawPointer, to object: ObjectBase, _ ordinal: Int)
}

extension _RealmPropertyBox: AnyRealmProperty, TypedStorage {
  private static func box(_ address: UnsafeRawPointer) -> _RealmPropertyBox {
    address.assumingMemoryBound(to: _RealmPropertyBox.self).pointee
  }

  static func attach(at address: UnsafeRawPointer, to object: ObjectBase, _ ordinal: Int) {
    let box = box(address)
    box.ordinal = ordinal
    box.managed = object._managed
    if object._tracer != nil { box.probe = object }
  }

  static func attributes(at address: UnsafeRawPointer) -> (isPrimaryKey: Bool, isIndexed: Bool) {
    (false, false)
  }

  static func linkingObjects(at address: UnsafeRawPointer) -> (any AnyLinkingObjects)? { nil }

  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any {
    box(address).currentUnmanaged as Any
  }

  static func setUnmanagedValue(at address: UnsafeMutableRawPointer, _ value: Any) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    box(address).unmanaged = converted
    return true
  }

  static func withUnmanagedKey<Result>(
    at address: UnsafeMutableRawPointer,
    _ body: (_Value) -> Result
  ) -> Result? {
    box(address).currentUnmanaged._withFlex(nil, body)
  }

  static func moveUnmanaged(
    at address: UnsafeMutableRawPointer,
    to object: _ManagedObject,
    _ property: _PropertyKey,
    _ mode: CopyMode
  ) {
    let box = box(address)
    let value = box.unmanaged
    box.unmanaged = nil
    mode.write(value, to: object, property)
  }
}
