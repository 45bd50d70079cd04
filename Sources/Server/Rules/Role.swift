// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A role of `rules.json` or `default_rule.json`: whom it is for, and what it allows.
package struct Role: Hashable, Sendable {
  package var name: String
  /// Whether a user has the role. One that cannot be told is true, so that later roles do not open anything.
  package var applyWhen: RuleExpression
  /// What it allows; nil if the role is not sync-compatible, and so denies everything.
  package var grants: RoleGrants?

  package init(name: String, applyWhen: RuleExpression, grants: RoleGrants?) {
    self.name = name
    self.applyWhen = applyWhen
    self.grants = grants
  }

  /// A role for everybody that allows everything.
  package static let open = Role(name: "readAndWriteAll", applyWhen: .constant(true), grants: RoleGrants())
}

/// What a role allows with the objects of a class.
package struct RoleGrants: Hashable, Sendable {
  package var readFilter = RuleExpression.constant(true)
  package var writeFilter = RuleExpression.constant(true)
  package var insert = RuleExpression.constant(true)
  package var delete = RuleExpression.constant(true)
  /// The fields that may be read without looking at what may be written.
  package var readableFields = FieldAccess.all
  /// Those and the ones that may be read since they may be written: all of these of which the role does not say that they
  /// may not be read.
  package var impliedReadableFields = FieldAccess.all
  package var writableFields = FieldAccess.all

  package init() {}

  package var expressions: [RuleExpression] { [readFilter, writeFilter, insert, delete] }

  /// The fields of objects that it looks at.
  package var fields: Set<String> { expressions.reduce(into: []) { $0.formUnion($1.fields) } }

  /// Whether some fields may be read only because they may be written, and not in all objects that may be read. What
  /// may be read is the same in all objects here, so that those fields are written and not read.
  package var hasUnreadableWrites: Bool {
    readableFields != .none && !impliedReadableFields.isSubset(of: readableFields)
      && readFilter != writeFilter && writeFilter != .constant(true)
  }

  /// Whether the role says of fields that may be written that they may not be read.
  package var hasWriteOnlyFields: Bool { !writableFields.isSubset(of: impliedReadableFields) }

  /// What it allows in a class.
  func permission(role: String, _ compiler: RuleCompiler, _ classSchema: ClassSchema) -> ClassPermission {
    func fitted(_ fields: FieldAccess) -> FieldAccess { fields.fitted(to: classSchema, compiler.schema) }
    let readable = fitted(readableFields)
    let writable = fitted(writableFields)
    let visible = hasUnreadableWrites ? readable : readable.union(fitted(impliedReadableFields))
    let write = writable == .none ? .never : compiler.predicate(writeFilter)
    // A role that may write also reads. Where nothing may be read otherwise, it reads only what it may write.
    let read =
      readable == .none
      ? write : .disjunction([compiler.predicate(readFilter), compiler.predicate(writeFilter)])
    let ownsAllFields = classSchema.properties.allSatisfy { writable.includesWholly($0.name) }
    return ClassPermission(
      role: role,
      read: visible == .none && writable == .none ? .never : read,
      write: write,
      insert: compiler.predicate(insert),
      // Documented: only who may write all fields of an object may delete it.
      delete: ownsAllFields ? compiler.predicate(delete) : .never,
      readableFields: visible,
      writableFields: writable
    )
  }
}
