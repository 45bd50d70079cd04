// SPDX-License-Identifier: Apache-2.0

/// An object that identifies itself by its row, for `Identifiable`.
///
/// ```swift
/// class Task: Object, ObjectKeyIdentifiable { … }
/// ```
public protocol ObjectKeyIdentifiable: Identifiable {
  /// The same for all instances that are the same object of a class.
  var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
  /// The same for all instances that are the same object of the class.
  public var id: UInt64 { objectKey }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
  /// The same for all projections of the same object.
  public var id: UInt64 { rootObject.objectKey }
}

extension ObjectBase {
  fileprivate var objectKey: UInt64 {
    _managed.map { UInt64(bitPattern: $0.row) } ?? UInt64(UInt(bitPattern: ObjectIdentifier(self)))
  }
}

/// The name of `Object` in places where another type has that name.
public typealias RealmSwiftObject = Object

/// The name of `EmbeddedObject` in places where another type has that name.
public typealias RealmSwiftEmbeddedObject = EmbeddedObject

/// The name of `AsymmetricObject` in places where another type has that name.
public typealias RealmSwiftAsymmetricObject = AsymmetricObject
