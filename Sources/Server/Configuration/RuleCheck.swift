// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// Refuses rules that cannot be evaluated. Warns of rules that deny or never match because they do not fit the
/// classes.
struct RuleCheck {
  let book: RuleBook
  let database: DatabaseSchema
  let sync: SyncConfiguration
  let problems: ProblemCollector

  func report() {
    for classSchema in database.schema.classes where classSchema.kind != .embedded {
      for role in book.roles(of: classSchema.name) { report(of: role, in: classSchema) }
    }
    warnOfUnknownFields()
    warnOfMissingValues()
  }

  /// Warns of permissions of fields that no class of the role has. In development mode, clients may add the fields.
  private func warnOfUnknownFields() {
    guard !sync.isDevelopmentMode else { return }
    let classes = database.schema.classes.filter { $0.kind != .embedded }
    for classSchema in classes {
      guard let roles = book.rolesByClass[classSchema.name] else { continue }
      warnOfUnknownFields(of: roles, in: [classSchema], "class \"\(classSchema.name)\" has no such field")
    }
    let others = classes.filter { book.rolesByClass[$0.name] == nil }
    guard !others.isEmpty else { return }
    warnOfUnknownFields(of: book.defaultRoles, in: others, "no class with default roles has such a field")
  }

  private func warnOfUnknownFields(of roles: [Role], in classes: [ClassSchema], _ reason: String) {
    for role in roles {
      guard let grants = role.grants else { continue }
      let unknown = classes.map { classSchema in
        let all = [grants.readableFields, grants.writableFields, grants.impliedReadableFields]
        return Set(all.flatMap { $0.unknownNames(in: classSchema, database.schema) })
      }
      for name in unknown.dropFirst().reduce(unknown[0], { $0.intersection($1) }).sorted() {
        problems.warning(
          file(of: classes[0]),
          "role \"\(role.name)\": the permissions of \"\(name)\" have no effect: \(reason). Correct the name, or remove it"
        )
      }
    }
  }

  private func report(of role: Role, in classSchema: ClassSchema) {
    guard let grants = role.grants else { return }
    func warn(_ message: String) {
      problems.warning(file(of: classSchema), "role \"\(role.name)\": \(message)")
    }
    let unqueryable = book.unqueryableFields(of: grants, in: classSchema, database.schema)
    for field in unqueryable {
      guard classSchema.property(named: field) != nil || sync.isDevelopmentMode else {
        warn(
          "class \"\(classSchema.name)\" has no field \"\(field)\", which is not a queryable field either "
            + "(sync/config.json): the role is not sync-compatible with that class, and users with it have no access "
            + "to its objects. Correct the name, or give the class roles of its own"
        )
        continue
      }
      warn(
        "\"\(field)\" is not a queryable field of class \"\(classSchema.name)\" (sync/config.json): the role "
          + "is not sync-compatible with that class, and users with it have no access to its objects"
      )
    }
    guard unqueryable.isEmpty else { return }
    for field in grants.fields.sorted()
    where classSchema.property(named: field) == nil && !sync.isDevelopmentMode {
      warn(
        "class \"\(classSchema.name)\" has no field \"\(field)\"; conditions on it are never true for that class"
      )
    }
    for field in grants.fields.sorted() where (try? Query.parse("\(field) == NULL")) == nil {
      warn(
        "\"\(field)\" is a reserved word of the query language, so neither rules nor subscriptions can use the "
          + "field: users with this role have no access"
      )
    }
    if grants.hasUnreadableWrites {
      warn(
        "users may write some fields that they may not read, in some but not all objects; the server accepts what "
          + "they write and shows it to nobody with this role. Grant read on these fields as well"
      )
    } else if grants.hasWriteOnlyFields {
      warn(
        "users may write some fields that they may not read: the server accepts what they write and shows it "
          + "to nobody with this role. App Services let users read every field that they may write"
      )
    }
    let fields = grants.readableFields.union(grants.writableFields)
    for field in fields.misplacedParts(in: classSchema, database.schema) {
      warn(
        "\"\(field)\" of class \"\(classSchema.name)\" does not hold embedded objects, so permissions of "
          + "fields inside it grant nothing. Give it its own read and write"
      )
    }
    for expression in grants.expressions {
      expression.forEachTest { test in
        guard case .field(let name) = test.subject, let property = classSchema.property(named: name) else {
          return
        }
        let check = ConditionCheck(
          property: property,
          className: classSchema.name,
          foreignKey: database.schema.foreignKey(of: property)
        )
        if let message = check.obstacle(test.condition) {
          problems.error(file(of: classSchema), "role \"\(role.name)\": \(message)")
        } else if let message = check.mismatch(test.condition) {
          warn(message)
        }
      }
    }
  }

  private func warnOfMissingValues() {
    var roles: [RuleExpansion: [String]] = [:]
    for role in book.roles {
      for expansion in Set(role.expressions.flatMap(\.expansions)) {
        roles[expansion, default: []].append("\"\(role.name)\"")
      }
    }
    for (expansion, names) in roles.sorted(by: { $0.key.text < $1.key.text }) {
      let users = Set(names).sorted().joined(separator: ", ")
      switch expansion.root {
      case .user: continue
      case .values:
        guard let name = expansion.path.first, book.values[name] == nil else { continue }
        problems.warning(
          "values",
          "\(expansion.text), which role \(users) uses, has no value: add values/\(name).json, or correct the name"
        )
      case .environment:
        guard expansion.path.count > 1, book.environment["values"]?[expansion.path[1]] == nil else {
          continue
        }
        problems.warning(
          "environments",
          "\(expansion.text), which role \(users) uses, has no value in the environment that root_config.json selects"
        )
      }
    }
  }

  private func file(of classSchema: ClassSchema) -> String {
    database.ruleFile(of: classSchema.name, book, sync)
  }
}

extension DatabaseSchema {
  /// Returns the file with the roles that apply to a class.
  func ruleFile(of className: String, _ book: RuleBook, _ sync: SyncConfiguration) -> String {
    guard book.rolesByClass[className] != nil else { return sync.defaultRuleFile }
    return "\(folderByClass[className] ?? sync.folder)/rules.json"
  }
}
