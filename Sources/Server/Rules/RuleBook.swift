// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// The rules of an app: who may see and do what, as its directory says.
package struct RuleBook: Hashable, Sendable {
  /// The roles of classes that have their own. Such a class does not look at the default roles.
  package var rolesByClass: [String: [Role]]
  package var defaultRoles: [Role]
  /// `%%values`, an object.
  package var values: JSON
  /// `%%environment`, an object with `tag` and `values`.
  package var environment: JSON
  var queryableFields: QueryableFieldNames

  package init(
    rolesByClass: [String: [Role]] = [:],
    defaultRoles: [Role] = [],
    values: JSON = .object([]),
    environment: JSON = .object([]),
    queryableFields: QueryableFieldNames = .everything
  ) {
    self.rolesByClass = rolesByClass
    self.defaultRoles = defaultRoles
    self.values = values
    self.environment = environment
    self.queryableFields = queryableFields
  }

  /// Everybody may see and do everything.
  package static let open = RuleBook(defaultRoles: [.open])

  /// Whether there is any role. Without one nobody may see anything.
  package var isEmpty: Bool { rolesByClass.isEmpty && defaultRoles.isEmpty }

  /// Whether something depends on the custom data of users.
  package var usesCustomData: Bool {
    (rolesByClass.values.flatMap { $0 } + defaultRoles).contains { role in
      ([role.applyWhen] + (role.grants?.expressions ?? [])).contains { expression in
        expression.expansions.contains { $0.root == .user && $0.path.first == "custom_data" }
      }
    }
  }

  package func roles(of className: String) -> [Role] { rolesByClass[className] ?? defaultRoles }

  /// What a user may see and do: for each class what the first role allows whose `apply_when` is true for the user.
  ///
  /// Pure, and quick enough for the start of a session. Classes that the user may not see at all are left out.
  package func permissions(of user: UserContext, schema: Schema) -> Permissions {
    let scope = RuleScope(user: user, values: values, environment: environment)
    var permissions = Permissions(classes: [:])
    for classSchema in schema.classes where classSchema.kind != .embedded {
      permissions.classes[classSchema.name] = permission(scope, classSchema, schema)
    }
    return permissions
  }

  private func permission(
    _ scope: RuleScope,
    _ classSchema: ClassSchema,
    _ schema: Schema
  ) -> ClassPermission? {
    let userCompiler = RuleCompiler(scope: scope, classSchema: nil, schema: schema)
    let role = roles(of: classSchema.name).first { userCompiler.predicate($0.applyWhen) == .always }
    guard let role, let grants = role.grants, unqueryableField(of: grants, in: classSchema, schema) == nil
    else {
      return nil
    }
    return grants.permission(
      role: role.name,
      RuleCompiler(scope: scope, classSchema: classSchema, schema: schema),
      classSchema
    )
  }

  /// A field that a role looks at and may not: only queryable fields are known where objects are judged.
  package func unqueryableField(of grants: RoleGrants, in classSchema: ClassSchema, _ schema: Schema)
    -> String?
  {
    grants.fields.sorted().first { !queryableFields.includes($0, of: classSchema, schema) }
  }
}

/// The fields that rules may use, by name: the queryable fields of the configuration, also links and collections of links,
/// which subscriptions cannot use. Whether a class has a field is another question: rules for several classes may name fields
/// that only some of them have.
package struct QueryableFieldNames: Hashable, Sendable {
  /// Fields of every class.
  var global: Set<String>
  var byClass: [String: Set<String>]
  /// Whether all fields are queryable that can be, as in development mode.
  var includesAll: Bool

  package init(global: Set<String>, byClass: [String: Set<String>], includesAll: Bool) {
    self.global = global
    self.byClass = byClass
    self.includesAll = includesAll
  }

  static let everything = QueryableFieldNames(global: [], byClass: [:], includesAll: true)

  /// Whether rules may look at a field.
  func includes(_ name: String, of classSchema: ClassSchema, _ schema: Schema) -> Bool {
    if name == classSchema.primaryKey?.name { return true }
    guard includesAll || global.contains(name) || byClass[classSchema.name]?.contains(name) == true else {
      return false
    }
    guard let property = classSchema.property(named: name) else { return true }
    return property.isQueryable || schema.foreignKey(of: property) != nil
  }
}
