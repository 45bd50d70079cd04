// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Says what each user of an app may see and do. Confined to the app's loop.
package protocol PermissionSource {
  /// What a user may see and do now; for a user that is not known nothing.
  ///
  /// Called in the middle of transactions, when a session begins and after `SyncEngine.permissionsMayHaveChanged`. What
  /// it returns is kept until the next such call.
  ///
  /// - Parameter schema: the classes as they are served.
  func permissions(of userID: String, schema: Schema) throws -> Permissions

  /// Where the app keeps custom user data, if that is a class that is served: whoever changes an object of it changes
  /// what the user may see to whom it belongs.
  var customUserData: CustomUserDataPlace? { get }
}

extension PermissionSource {
  package var customUserData: CustomUserDataPlace? { nil }
}

/// A class whose objects are the custom data of users.
package struct CustomUserDataPlace: Hashable, Sendable {
  package var className: String
  /// The property with the id of the user.
  package var userField: String

  package init(className: String, userField: String) {
    self.className = className
    self.userField = userField
  }
}

/// An app in which everybody may see and do everything.
package struct OpenPermissions: PermissionSource {
  package init() {}

  package func permissions(of userID: String, schema: Schema) -> Permissions { .open(schema) }
}

extension Permissions {
  /// Everything in all classes.
  package static func open(_ schema: Schema) -> Permissions {
    let classes = schema.classes.filter { $0.kind != .embedded }
    let permission = ClassPermission(role: "default", read: .always, write: .always)
    return Permissions(
      classes: Dictionary(classes.map { ($0.name, permission) }, uniquingKeysWith: { first, _ in first })
    )
  }
}
