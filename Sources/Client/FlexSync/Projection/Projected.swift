// SPDX-License-Identifier: Apache-2.0

/// Makes a property of a `Projection` show one of the projected object, or of an object that it links to.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
  fileprivate let keyPath: KeyPath<Root, Value>

  /// - Parameter projectedKeyPath: leads from the object to the value. Setting the property needs one to a property that
  ///   can be set.
  public init(_ projectedKeyPath: KeyPath<Root, Value>) { keyPath = projectedKeyPath }

  @available(*, unavailable, message: "@Projected can only be used as a property of a Projection")
  public var wrappedValue: Value {
    get { fatalError("@Projected can only be used as a property of a Projection") }
    set { fatalError("@Projected can only be used as a property of a Projection") }
  }

  public static subscript<Owner: Projection<Root>>(
    _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Projected>
  ) -> Value {
    get { owner.rootObject[keyPath: owner[keyPath: storage].keyPath] }
    set {
      guard let keyPath = owner[keyPath: storage].keyPath as? ReferenceWritableKeyPath<Root, Value> else {
        Misuse.stop("KeyPath is not writable")
      }
      owner.rootObject[keyPath: keyPath] = newValue
    }
  }
}

/// A `Projected` of any type.
protocol AnyProjected {
  var anyKeyPath: AnyKeyPath { get }
}

extension Projected: AnyProjected {
  var anyKeyPath: AnyKeyPath { keyPath }
}
