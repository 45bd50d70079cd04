// SPDX-License-Identifier: Apache-2.0

/// The superclass of an app's models.
///
/// ```swift
/// class Task: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var taskName: String
///   @Persisted var assignee: String?
/// }
/// ```
///
/// An object is a value in memory until it is added to a realm; from then on its properties read and write the realm.
/// It belongs to the thread or actor of its realm. Reading a deleted object, or writing to an object outside a write
/// transaction, stops the program.
open class Object: ObjectBase {
  public required init() { super.init() }
}
