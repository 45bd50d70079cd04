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

  private var service: String { "data_sources/\(sync.serviceName)" }

  func report() {
    for classSchema in database.schema.classes where classSchema.kind != .embedded {
      for role in book.roles(of: classSchema.name) { report(of: role, in: classSchema) }
    }
    warnOfMissingValues()
  }

  private func report(of role: Role, in classSchema: ClassSchema) {
    guard let grants = role.grants else { return }
    func warn(_ message: String) {
      problems.warning(file(of: classSchema), nil, "role \"\(role.name)\": \(message)")
    }
    if let field = book.unqueryableField(of: grants, in: classSchema, database.schema) {
      return warn(
        "\"\(field)\" is no queryable field of class \"\(classSchema.name)\" (sync/config.json): the role is not "
          + "sync-compatible there, and whoever has it may see and do nothing"
      )
    }
    for field in grants.fields.sorted()
    where classSchema.property(named: field) == nil && !sync.isDevelopmentMode {
      warn("class \"\(classSchema.name)\" has no field \"\(field)\"; conditions on it are never true there")
    }
    for field in grants.fields.sorted() where (try? Query.parse("\(field) == NULL")) == nil {
      warn(
        "\"\(field)\" is a word of the query language, so that neither rules nor subscriptions can look at it: whoever "
          + "has the role may see and do nothing"
      )
    }
    if grants.hasUnreadableWrites {
      warn(
        "some fields may be written but not read, and not in all objects; what users write there is taken, and nobody "
          + "with the role is shown it. Give them read as well"
      )
    } else if grants.hasWriteOnlyFields {
      warn(
        "some fields may be written and not read: what users write there is taken, and nobody with the role is shown it. "
          + "App Services showed fields to whoever may write them"
      )
    }
    let fields = grants.readableFields.union(grants.writableFields)
    for field in fields.misplacedParts(in: classSchema, database.schema) {
      warn(
        "\"\(field)\" of class \"\(classSchema.name)\" holds no embedded objects, so that permissions of fields inside of "
          + "it grant nothing. Give it read and write of its own"
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
          problems.error(file(of: classSchema), nil, "role \"\(role.name)\": \(message)")
        } else if let message = check.mismatch(test.condition) {
          warn(message)
        }
      }
    }
  }

  private func warnOfMissingValues() {
    let roles = book.rolesByClass.sorted { $0.key < $1.key }.flatMap(\.value) + book.defaultRoles
    let expansions = roles.flatMap { role in
      ([role.applyWhen] + (role.grants?.expressions ?? [])).flatMap(\.expansions)
    }
    for expansion in Set(expansions).sorted(by: { $0.text < $1.text }) {
      switch expansion.root {
      case .user: continue
      case .values:
        guard let name = expansion.path.first, book.values[name] == nil else { continue }
        problems.warning("values", nil, "\(expansion.text) stands for nothing: there is no value \"\(name)\"")
      case .environment:
        guard expansion.path.count > 1, book.environment["values"]?[expansion.path[1]] == nil else {
          continue
        }
        problems.warning(
          "environments",
          nil,
          "\(expansion.text) stands for nothing in the environment of root_config.json"
        )
      }
    }
  }

  private func file(of classSchema: ClassSchema) -> String {
    guard book.rolesByClass[classSchema.name] != nil else { return "\(service)/default_rule.json" }
    return "\(database.folderByClass[classSchema.name] ?? service)/rules.json"
  }
}
