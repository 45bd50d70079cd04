// SPDX-License-Identifier: Apache-2.0

/// The superclass of an app's models that are uploaded but not kept on the device (data ingest).
///
/// ```swift
/// class Measurement: AsymmetricObject {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var sensor: String
///   @Persisted var celsius: Double
/// }
///
/// try realm.write {
///   realm.create(Measurement.self, value: ["_id": ObjectId.generate(), "sensor": "roof", "celsius": 21.5])
/// }
/// ```
///
/// These objects need no subscription, and cannot have one: they cannot be queried, observed, found or changed. They
/// can hold embedded objects and links to objects of other classes, but no links in mixed values, and nothing can
/// link to them. Only a synced realm can have such classes.
open class AsymmetricObject: ObjectBase {
  public required init() { super.init() }
}

extension Realm {
  /// Creates an object that is uploaded but not kept on the device, from values: a dictionary by property name, an
  /// array in the order of the properties, or another object, which is copied.
  ///
  /// If the server already has an object with this primary key, it discards the new one without an error.
  public func create<ObjectType: AsymmetricObject>(
    _ type: ObjectType.Type,
    value: Any = [String: Any]()
  ) {
    handle.create(type, value, update: .error)
  }
}
