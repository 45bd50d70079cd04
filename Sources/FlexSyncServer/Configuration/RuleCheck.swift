// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Warns of rules that deny, or never match, because they do not fit the classes.
struct RuleCheck {
  let book: RuleBook
  let database: DatabaseSchema
  let sync: SyncConfiguration
  let problems: ProblemCollector

  private var service: String { "data_sources/\(sync.serviceName)" }

  func warn() {
    for classSchema in database.schema.classes where classSchema.kind != .embedded {
      for role in book.roles(of: classSchema.name) { warn(of: role, in: classSchema) }
    }
    warnOfMissingValues()
  }

  private func warn(of role: Role, in classSchema: ClassSchema) {
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
        if let message = mismatch(test, classSchema) { warn(message) }
      }
    }
  }

  /// Why a condition can never be true, for what is known before there is a user.
  private func mismatch(_ test: RuleTest, _ classSchema: ClassSchema) -> String? {
    guard case .field(let name) = test.subject, let property = classSchema.property(named: name),
      property.type != .mixed
    else { return nil }
    let foreignKey = database.schema.foreignKey(of: property)
    let type = foreignKey?.primaryKey.type ?? property.type
    var operands: [RuleOperand]
    switch test.condition {
    case .exists: return nil
    case .compare(let symbol, _) where foreignKey != nil && symbol != .equal:
      return
        "\"\(name)\" of class \"\(classSchema.name)\" is a link, which is neither greater nor less than a key"
    case .compare(_, let operand): operands = [operand]
    case .oneOf(let operand), .allOf(let operand): operands = [operand]
    }
    if case .list(let elements) = operands[0] { operands = elements }
    for operand in operands {
      guard let value = RuleCheck.typicalValue(operand), value != .null, !value.isCollection,
        value.comparable(with: type) == nil
      else { continue }
      let otherType = value.type.map(\.description) ?? "null"
      let advice =
        switch type {
        case .objectId: "; convert it: {\"%stringToOid\": …}"
        case .uuid: "; convert it: {\"%stringToUuid\": …}"
        default: ""
        }
      return
        "\"\(name)\" of class \"\(classSchema.name)\" is of type \(type) and never equals a \(otherType)"
        + (value.type == .string ? advice : "")
    }
    return nil
  }

  private static func typicalValue(_ operand: RuleOperand) -> Value? {
    switch operand {
    case .literal(let value): value
    case .expansion(let expansion):
      expansion.root == .user && ["id", "type"].contains(expansion.path.first) ? .string("") : nil
    case .converted(let conversion, _):
      switch conversion {
      case .stringToObjectId: .objectId(ObjectId(high: 0, low: 0))
      case .stringToUUID: .uuid(UUIDValue(high: 0, low: 0))
      case .objectIdToString, .uuidToString: .string("")
      }
    case .list: nil
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
