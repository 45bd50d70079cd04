// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A role of `rules.json` or `default_rule.json`: the users it applies to, and the access it grants.
package struct Role: Hashable, Sendable {
  package var name: String
  /// Whether a user has the role. True if it cannot be evaluated, so that no later role grants access instead.
  package var applyWhen: RuleExpression
  /// The access granted by the role; nil if the role is not sync-compatible and therefore denies everything.
  package var grants: RoleGrants?

  package init(name: String, applyWhen: RuleExpression, grants: RoleGrants?) {
    self.name = name
    self.applyWhen = applyWhen
    self.grants = grants
  }

  package var expressions: [RuleExpression] { [applyWhen] + (grants?.expressions ?? []) }

  /// A role that applies to every user and grants full access.
  package static let open = Role(name: "readAndWriteAll", applyWhen: .constant(true), grants: RoleGrants())
}

/// The access that a role grants to the objects of a class.
package struct RoleGrants: Hashable, Sendable {
  package var readFilter = RuleExpression.constant(true)
  package var writeFilter = RuleExpression.constant(true)
  package var insert = RuleExpression.constant(true)
  package var delete = RuleExpression.constant(true)
  /// The fields that may be read, disregarding what may be written.
  package var readableFields = FieldAccess.all
  /// The fields of `readableFields` and those that may be read because they may be written, which are all writable
  /// fields for which the role does not deny reading.
  package var impliedReadableFields = FieldAccess.all
  package var writableFields = FieldAccess.all

  package init() {}

  package var expressions: [RuleExpression] { [readFilter, writeFilter, insert, delete] }

  /// The object fields that the expressions refer to.
  package var fields: Set<String> { expressions.reduce(into: []) { $0.formUnion($1.fields) } }

  /// Whether some fields are readable only because they are writable, and not in all readable objects. Here the
  /// readable fields are the same in all objects, so these fields can be written but not read.
  package var hasUnreadableWrites: Bool {
    readableFields != .none && !impliedReadableFields.isSubset(of: readableFields)
      && readFilter != writeFilter && writeFilter != .constant(true)
  }

  /// Whether the role denies reading of fields that may be written.
  package var hasWriteOnlyFields: Bool { !writableFields.isSubset(of: impliedReadableFields) }

  /// Returns the permissions that the role grants in a class.
  func permission(role: String, _ compiler: RuleCompiler, _ classSchema: ClassSchema) -> ClassPermission {
    func fitted(_ fields: FieldAccess) -> FieldAccess { fields.fitted(to: classSchema, compiler.schema) }
    let readable = fitted(readableFields)
    let writable = fitted(writableFields)
    let visible = hasUnreadableWrites ? readable : readable.union(fitted(impliedReadableFields))
    let write = writable == .none ? .never : compiler.predicate(writeFilter)
    // Write access includes read access. If no field is readable, the role reads only the objects it may write.
    let read =
      readable == .none
      ? write : .disjunction([compiler.predicate(readFilter), compiler.predicate(writeFilter)])
    let ownsAllFields = classSchema.properties.allSatisfy { writable.includesWholly($0.name) }
    return ClassPermission(
      role: role,
      read: visible == .none && writable == .none ? .never : read,
      write: write,
      insert: compiler.predicate(insert),
      // As documented by App Services, deleting an object requires write access to all of its fields.
      delete: ownsAllFields ? compiler.predicate(delete) : .never,
      readableFields: visible,
      writableFields: writable
    )
  }
}
