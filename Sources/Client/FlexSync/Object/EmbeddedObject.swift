// SPDX-License-Identifier: Apache-2.0

/// The superclass of an app's models that live inside other objects, without a primary key.
///
/// ```swift
/// class Address: EmbeddedObject {
///   @Persisted var street: String
///   @Persisted var city: String?
/// }
///
/// class Contact: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var home: Address?
///   @Persisted var others: List<Address>
/// }
/// ```
///
/// Assigning an embedded object that is in no realm makes it part of the object that has the property. The embedded
/// object that was there before is deleted. An embedded object that is in a realm cannot be assigned anywhere else.
open class EmbeddedObject: ObjectBase {
  public required init() { super.init() }
}
