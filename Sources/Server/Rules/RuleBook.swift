// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// The rules of an app, as given by its directory.
package struct RuleBook: Hashable, Sendable {
  /// The roles of classes that have their own. The default roles do not apply to such a class.
  package var rolesByClass: [String: [Role]] = [:]
  package var defaultRoles: [Role]
  /// The classes to which the default roles apply; nil for all. A class that the app directory no longer declares keeps
  /// its data, but whoever wrote the default roles did not mean it.
  package var classesWithDefaults: Set<String>?
  /// The `%%values`, an object.
  package var values: JSON = .object([])
  /// The `%%environment`, an object with `tag` and `values`.
  package var environment: JSON = .object([])
  package var queryableFields = QueryableFieldNames.everything

  package init(defaultRoles: [Role] = []) { self.defaultRoles = defaultRoles }

  /// Rules that allow every user to read and write everything.
  package static let open = RuleBook(defaultRoles: [.open])

  /// Whether there are no roles, so that users have no access at all.
  package var isEmpty: Bool { rolesByClass.isEmpty && defaultRoles.isEmpty }

  /// Whether any rule depends on the custom data of users.
  package var usesCustomData: Bool {
    roles.contains { $0.expressions.contains(where: \.usesCustomData) }
  }

  /// All roles, those of classes first.
  package var roles: [Role] { rolesByClass.sorted { $0.key < $1.key }.flatMap(\.value) + defaultRoles }

  package func roles(of className: String) -> [Role] {
    if let roles = rolesByClass[className] { return roles }
    return classesWithDefaults?.contains(className) == false ? [] : defaultRoles
  }

  /// Returns the permissions of a user: for each class, the grants of the first role whose `apply_when` is true for
  /// the user.
  ///
  /// Has no side effects, and is fast enough for the start of a session. Leaves out classes for which no
  /// sync-compatible role applies.
  package func permissions(of user: UserContext, schema: Schema) -> Permissions {
    let scope = RuleScope(user: user, values: values, environment: environment)
    var permissions = Permissions(classes: [:])
    for classSchema in schema.classes where classSchema.kind != .embedded {
      permissions.classes[classSchema.name] = permission(scope, classSchema, schema)
    }
    return permissions
  }

  private func permission(_ scope: RuleScope, _ classSchema: ClassSchema, _ schema: Schema)
    -> ClassPermission?
  {
    let userCompiler = RuleCompiler(scope: scope, classSchema: nil, schema: schema)
    let role = roles(of: classSchema.name).first { userCompiler.predicate($0.applyWhen) == .always }
    guard let role, let grants = role.grants, unqueryableFields(of: grants, in: classSchema, schema).isEmpty
    else {
      return nil
    }
    return grants.permission(
      role: role.name,
      RuleCompiler(scope: scope, classSchema: classSchema, schema: schema),
      classSchema
    )
  }

  /// Returns the fields that the role refers to although they are not queryable. Only queryable fields are available when
  /// objects are judged.
  package func unqueryableFields(of grants: RoleGrants, in classSchema: ClassSchema, _ schema: Schema)
    -> [String]
  {
    grants.fields.sorted().filter { !queryableFields.includes($0, of: classSchema, schema) }
  }
}

/// The names of the fields that rules may use: the configured queryable fields, including links and collections of
/// links, which subscriptions cannot use. Does not imply that a class has the field, because rules for several
/// classes may name fields that only some of them have.
package struct QueryableFieldNames: Hashable, Sendable {
  /// The fields that are queryable in every class.
  var global: Set<String>
  var byClass: [String: Set<String>]
  /// Whether every field that can be queryable is, as in development mode.
  var includesAll: Bool

  package init(global: Set<String>, byClass: [String: Set<String>], includesAll: Bool) {
    self.global = global
    self.byClass = byClass
    self.includesAll = includesAll
  }

  static let everything = QueryableFieldNames(global: [], byClass: [:], includesAll: true)

  /// Returns whether rules may refer to a field.
  func includes(_ name: String, of classSchema: ClassSchema, _ schema: Schema) -> Bool {
    if name == classSchema.primaryKey?.name { return true }
    guard includesAll || global.contains(name) || byClass[classSchema.name]?.contains(name) == true else {
      return false
    }
    guard let property = classSchema.property(named: name) else { return true }
    return property.isQueryable || schema.foreignKey(of: property) != nil
  }
}
