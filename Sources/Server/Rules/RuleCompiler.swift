// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Compiles rule expressions to predicates, with all expansions replaced by their values.
struct RuleCompiler {
  let scope: RuleScope
  /// The class whose objects are judged; nil for expressions about the user only.
  let classSchema: ClassSchema?
  /// The schema with the classes that links lead to.
  let schema: Schema

  /// Returns a predicate for the objects for which an expression is certainly true.
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

  /// Returns the outcome of an expression inside `$elemMatch` for one element.
  private func outcome(_ expression: RuleExpression, element: Value) -> RuleOutcome {
    switch expression {
    case .constant(let value): RuleOutcome(value)
    case .all(let parts): .all(parts.map { outcome($0, element: element) })
    case .any(let parts): .any(parts.map { outcome($0, element: element) })
    case .not(let part): outcome(part, element: element).negated
    case .test(let test): outcome(test.condition, of: element)
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
    case .element: return .unknown
    }
  }

  /// Returns the outcome that a field with the given value would have.
  private func outcome(_ condition: RuleTest.Condition, of value: Value) -> RuleOutcome {
    switch (condition, value) {
    case (.element(let inner), .list(let elements)):
      return scope.known(inner, .any(elements.map { self.outcome(inner, element: $0) }))
    case (.element(let inner), _): return scope.known(inner, RuleOutcome(false))
    case (.count(let operand), _) where !value.isList:
      return scope.value(operand)?.size == nil ? .unknown : RuleOutcome(false)
    case (.compare(.equal, let operand), _):
      guard case .list(let others)? = scope.value(operand) else { break }
      return RuleOutcome(isList(value, of: others))
    default: break
    }
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

  /// Returns whether a value is a list with these elements or contains such a list.
  private func isList(_ value: Value, of others: [Value]) -> Bool {
    guard case .list(let elements) = value else { return false }
    let isWhole = elements.count == others.count && zip(elements, others).allSatisfy(isSame)
    return isWhole || elements.contains { isList($0, of: others) }
  }

  private func isSame(_ value: Value, _ other: Value) -> Bool {
    if value.isCollection || other.isCollection { return value == other }
    return outcome(.compare(.equal, .literal(other)), of: value).holds == .always
  }
}
