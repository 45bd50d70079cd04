// SPDX-License-Identifier: Apache-2.0

import FlexSyncQuery

/// The permissions of a user in an app: for each class, the grants of the role that applies to the user
/// (app-directory, "Semantics").
///
/// A session keeps its permissions until something that roles depend on changes. Rules select objects with the same
/// predicates that subscriptions are compiled to, so bootstraps filter in SQL and changes are matched by the index.
package struct Permissions: Hashable, Sendable {
  /// The permissions by class name. Classes without an entry are denied.
  package var classes: [String: ClassPermission]

  package init(classes: [String: ClassPermission]) { self.classes = classes }

  /// Returns the permissions for a class; nil if no role applies, or one that is not sync-compatible.
  package subscript(className: String) -> ClassPermission? { classes[className] }
}

/// The permissions that one role grants for the objects of one class.
package struct ClassPermission: Hashable, Sendable {
  /// The name of the role, for messages and logs.
  package var role: String
  /// The objects that may be read. Includes those that may be written.
  package var read: Predicate
  /// The objects that may be written. Must hold before and after the change.
  package var write: Predicate
  /// Of the writable objects, those that may be created, judged by their state after creation.
  package var insert: Predicate
  /// Of the writable objects, those that may be deleted, judged by their state before deletion.
  package var delete: Predicate
  /// The properties that may be read. Other properties may still be writable.
  package var readableFields: FieldAccess
  package var writableFields: FieldAccess

  package init(
    role: String,
    read: Predicate,
    write: Predicate,
    insert: Predicate = .always,
    delete: Predicate = .always,
    readableFields: FieldAccess = .all,
    writableFields: FieldAccess = .all
  ) {
    self.role = role
    self.read = read
    self.write = write
    self.insert = insert
    self.delete = delete
    self.readableFields = readableFields
    self.writableFields = writableFields
  }
}
