// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Determines the permissions of an app's users. Confined to the app's loop.
package protocol PermissionSource {
  /// Returns the current permissions of a user; no permissions if the user does not exist.
  ///
  /// Called inside transactions, when a session begins and after `SyncEngine.permissionsMayHaveChanged`. The result
  /// is kept until the next such call.
  ///
  /// - Parameter schema: The classes as they are served.
  func permissions(of userID: String, schema: Schema) throws -> Permissions

  /// The location of the app's custom user data, if it is a served class. Changing one of its objects changes the
  /// permissions of the user it belongs to.
  var customUserData: CustomUserDataPlace? { get }
}

extension PermissionSource {
  package var customUserData: CustomUserDataPlace? { nil }
}

/// A class whose objects are the custom data of users.
package struct CustomUserDataPlace: Hashable, Sendable {
  package var className: String
  /// The property that holds the user's id.
  package var userField: String

  package init(className: String, userField: String) {
    self.className = className
    self.userField = userField
  }
}

/// Permissions that allow every user to read and write everything.
package struct OpenPermissions: PermissionSource {
  package init() {}

  package func permissions(of userID: String, schema: Schema) -> Permissions { .open(schema) }
}

extension Permissions {
  /// Returns the permissions to read and write all classes.
  package static func open(_ schema: Schema) -> Permissions {
    let classes = schema.classes.filter { $0.kind != .embedded }
    let permission = ClassPermission(role: "default", read: .always, write: .always)
    return Permissions(
      classes: Dictionary(classes.map { ($0.name, permission) }, uniquingKeysWith: { first, _ in first })
    )
  }
}
