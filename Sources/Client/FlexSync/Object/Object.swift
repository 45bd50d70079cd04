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
/// It belongs to the thread or actor of its realm. Reading an object that was deleted, and writing one outside a write
/// transaction, stop the program.
open class Object: ObjectBase {
  public required init() { super.init() }
}
