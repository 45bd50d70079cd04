// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A view of an object that shows some of its properties, under names of its own.
///
/// ```swift
/// class TaskSummary: Projection<Task> {
///   @Projected(\Task.taskName) var title
///   @Projected(\Task.assignee?.localizedUppercase) var who
/// }
///
/// for summary in realm.objects(TaskSummary.self).sorted(byKeyPath: "taskName") { print(summary.title) }
/// ```
///
/// Reading and setting a property of the projection does so with that of the object. Queries and sort descriptors use
/// the names of the object's properties.
open class Projection<Root: ObjectBase>: ProjectionObservable {
  /// The projected object.
  public let rootObject: Root

  /// Creates a projection of an object.
  public required init(projecting object: Root) {
    rootObject = object
    _ = schema
  }

  /// The class, and the projected properties with their names in the object.
  open var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(rootObject)), radix: 16)
    let lines = schema.map { property in
      let value = rootObject[keyPath: property.keyPath] ?? "(null)"
      return "\t\(property.label)(\\.\(property.path)) = \(value);"
    }
    return
      "\(type(of: self))<\(type(of: rootObject))> <0x\(address)> {\n\t\(lines.joined(separator: "\n"))\n}"
  }
}

extension Projection: CustomStringConvertible {}

extension Projection: ThreadConfined {
  public var realm: Realm? { rootObject.realm }
  public var isInvalidated: Bool { rootObject.isInvalidated }
}

extension Projection: RealmCollectionValue {
  public typealias PersistedType = Root

  public static var _propertyType: _PropertyType { Root._propertyType }
  public static var _rowClass: ObjectBase.Type? { Root.self }
  public static func _fromRow(_ row: _ManagedObject) -> Self { Self(projecting: Root._fromRow(row)) }
  public var _row: _ManagedObject? { rootObject._managed }
  public static func _defaultValue() -> Self { Self(projecting: Root()) }

  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self {
    Self(projecting: Root._fromFlex(value, realm))
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    rootObject._withFlex(realm, body)
  }

  /// Projections are equal if their objects are.
  public static func == (left: Projection, right: Projection) -> Bool { left.rootObject == right.rootObject }

  public func hash(into hasher: inout Hasher) { hasher.combine(rootObject) }
}

extension Projection: KeypathSortable {
  public static func _path(of keyPath: AnyKeyPath) -> String {
    // The class itself, which has the properties.
    let type: any ProjectionObservable.Type = self
    return type.steps(of: keyPath).map(\.columnName).joined(separator: ".")
  }
}

/// A projection of any class. See `Projection`.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
  associatedtype Root: ObjectBase
  /// The projected object.
  var rootObject: Root { get }
  /// Creates a projection of an object.
  init(projecting object: Root)
}

extension ProjectionObservable {
  /// The projected properties.
  var schema: [ProjectedProperty] { ProjectedProperty.all(of: self) }

  /// The properties of the object, and of those that it links to, that a key path of the projection reads.
  static func steps(of keyPath: AnyKeyPath) -> [PropertyStep] {
    // Finds the projected properties, which must not happen while others are found.
    _ = Self(projecting: Root())
    let steps = DiscoveredClass.of(Root.self).steps { probe in
      guard let probe = probe as? Root else { return }
      _ = Self(projecting: probe)[keyPath: keyPath]
    }
    Misuse.require(!steps.isEmpty, "\(keyPath) is not a @Projected property of \(self)")
    return steps
  }
}

/// A property of a class of projections.
struct ProjectedProperty: @unchecked Sendable {
  /// The name in the projection.
  let label: String
  /// The Swift names of the projected property and of the links that lead to it.
  let path: String
  /// The property of the object where `path` begins.
  let property: String
  // Key paths never change, but are not declared as sendable.
  let keyPath: AnyKeyPath

  private static let cache = Mutex<[ObjectIdentifier: [ProjectedProperty]]>([:])

  /// The properties of a projection's class.
  fileprivate static func all<Observable: ProjectionObservable>(of projection: Observable)
    -> [ProjectedProperty]
  {
    let identifier = ObjectIdentifier(type(of: projection))
    if let known = cache.withLock({ $0[identifier] }) { return known }
    let found = Mirror(reflecting: projection).children.compactMap { child -> ProjectedProperty? in
      // The storage of a wrapped property `x` is named `_x`.
      guard let label = child.label?.dropFirst(), let projected = child.value as? any AnyProjected else {
        return nil
      }
      let steps = DiscoveredClass.of(Observable.Root.self).steps(of: projected.anyKeyPath)
      guard let first = steps.first else {
        Misuse.stop("@Projected property '\(label)' must be a part of Realm object")
      }
      return ProjectedProperty(
        label: String(label),
        path: steps.map(\.name).joined(separator: "."),
        property: first.name,
        keyPath: projected.anyKeyPath
      )
    }
    cache.withLock { $0[identifier] = found }
    return found
  }
}
