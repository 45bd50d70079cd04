// SPDX-License-Identifier: Apache-2.0

import FlexSyncQuery

/// What a user may see and do in an app: for each class what the role allows that applies to the user
/// (app-directory, "Semantics").
///
/// A session has one for as long as nothing changes that roles depend on. Which objects a rule means is told by the same
/// predicates that subscriptions become, so that bootstraps filter in SQL and changes are matched by the index.
package struct Permissions: Hashable, Sendable {
  /// By class name; what is not in here is denied.
  package var classes: [String: ClassPermission]

  package init(classes: [String: ClassPermission]) { self.classes = classes }

  /// What the role for a class allows; nil if no role applies, or one that is no good for sync.
  package subscript(className: String) -> ClassPermission? { classes[className] }
}

/// What one role allows with the objects of one class.
package struct ClassPermission: Hashable, Sendable {
  /// The name of the role, for messages and logs.
  package var role: String
  /// The objects that may be seen; includes those that may be changed.
  package var read: Predicate
  /// The objects that may be changed, before and after the change.
  package var write: Predicate
  /// The objects that may be created, of those that may be changed: judged as they are after their creation.
  package var insert: Predicate
  /// The objects that may be deleted, of those that may be changed: judged as they were before their deletion.
  package var delete: Predicate
  /// The properties that may be seen. Others can be changed nevertheless.
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
