// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Turns rule expressions into predicates, with all expansions replaced by what they stand for.
struct RuleCompiler {
  let scope: RuleScope
  /// The class whose objects are meant; nil for expressions on the user alone.
  let classSchema: ClassSchema?
  /// The classes that links lead to.
  let schema: Schema

  /// The objects for which an expression is certainly true.
  func predicate(_ expression: RuleExpression) -> Predicate { outcome(expression).holds }

  private func outcome(_ expression: RuleExpression) -> RuleOutcome {
    switch expression {
    case .constant(let value): RuleOutcome(value)
    case .all(let parts): .all(parts.map(outcome))
    case .any(let parts): .any(parts.map(outcome))
    case .not(let part): outcome(part).negated
    case .test(let test): outcome(test)
    }
  }

  private func outcome(_ test: RuleTest) -> RuleOutcome {
    switch test.subject {
    case .field(let name):
      guard let classSchema, let property = classSchema.property(named: name) else { return .unknown }
      return FieldTest(
        property: property,
        className: classSchema.name,
        foreignKey: schema.foreignKey(of: property),
        scope: scope
      ).outcome(test.condition)
    case .constant(let value): return outcome(test.condition, of: .bool(value))
    case .expansion(let expansion): return outcome(test.condition, of: scope.subject(expansion))
    }
  }

  /// The same as for a field that holds the value.
  private func outcome(_ condition: RuleTest.Condition, of value: Value) -> RuleOutcome {
    let row: RowImage
    var property = PropertySchema(name: "value", type: .mixed, isNullable: true)
    if case .list(let elements) = value {
      property.collection = .list
      row = RowImage(["value": .list(elements)])
    } else {
      row = RowImage(["value": .value(value)])
    }
    let outcome = FieldTest(property: property, className: "", foreignKey: nil, scope: scope)
      .outcome(condition)
    return RuleOutcome(
      holds: outcome.holds.matches(row) ? .always : .never,
      fails: outcome.fails.matches(row) ? .always : .never
    )
  }
}
