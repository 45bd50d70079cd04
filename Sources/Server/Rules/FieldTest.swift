// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Conditions of rules on one property, with MongoDB's semantics: a condition on a collection holds if one of its
/// elements meets it, and only values of the same type are compared. A link compares like its target's primary key.
struct FieldTest {
  let property: PropertySchema
  let className: String
  /// The key that documents store in place of the link, if the property is a link.
  let foreignKey: ForeignKey?
  let scope: RuleScope

  func outcome(_ condition: RuleTest.Condition) -> RuleOutcome {
    switch condition {
    case .exists: RuleOutcome(isCollection ? .always : isNotNull)
    case .compare(.equal, let operand): scope.value(operand).map(equal) ?? .unknown
    case .compare(let symbol, let operand):
      scope.value(operand).map { ordered(symbol, $0) } ?? .unknown
    case .oneOf(let operand): oneOf(operand)
    case .allOf(let operand): allOf(operand)
    case .count(let operand): count(operand)
    case .element(let condition): element(condition)
    }
  }

  var isCollection: Bool { property.collection != .single }

  var path: PropertyPath { PropertyPath(property, of: className) }

  private func compare(_ symbol: Comparison.Operator, _ constant: Value) -> Predicate {
    .comparison(Comparison(.path(path), symbol, .constant(constant)))
  }

  /// Returns the value in the form in which the property compares with it; nil if it never does.
  func constant(_ value: Value) -> Value? {
    guard value != .null else { return foreignKey == nil ? .null : foreignKey?.linkToNull }
    return foreignKey.map { $0.link(value) } ?? value.matchable(as: property.type)
  }

  /// The values of the property, or of an element, that correspond to null in a document. Collections of links hold
  /// no nulls.
  private var nulls: [Value] {
    guard let foreignKey else { return [.null] }
    return (isCollection ? [] : [.null]) + (foreignKey.linkToNull.map { [$0] } ?? [])
  }

  private var isNull: Predicate { .disjunction(nulls.map { compare(.equal, $0) }) }

  private var isNotNull: Predicate { .conjunction(nulls.map { compare(.notEqual, $0) }) }

  // MARK: Equality

  private func equal(_ value: Value) -> RuleOutcome {
    switch value {
    case .list(let elements): wholeList(elements)
    case .dictionary: .unknown
    default: RuleOutcome(equalScalar(value))
    }
  }

  private func equalScalar(_ value: Value) -> Predicate {
    if value == .null { return isNull }
    return constant(value).map { compare(.equal, $0) } ?? .never
  }

  /// A list equals a list with the same elements in the same order. Sets have no order.
  private func wholeList(_ elements: [Value]) -> RuleOutcome {
    guard property.type != .mixed else { return .unknown }
    guard isCollection else { return RuleOutcome(false) }
    if elements.isEmpty { return RuleOutcome(hasCount(0)) }
    let constants = elements.compactMap(constant)
    guard constants.count == elements.count else { return RuleOutcome(false) }
    if property.collection == .list {
      return RuleOutcome(.comparison(Comparison(.path(path), .equal, .list(constants, nil))))
    }
    guard constants.count == 1 else { return .unknown }
    return RuleOutcome(.conjunction([hasCount(1), compare(.equal, constants[0])]))
  }

  private func hasCount(_ number: Int64) -> Predicate {
    var count = path
    count.measure = .count
    return .comparison(Comparison(.path(count), .equal, .constant(.int(number))))
  }

  /// Only arrays have a size.
  private func count(_ operand: RuleOperand) -> RuleOutcome {
    guard let number = scope.value(operand)?.size else { return .unknown }
    if isCollection { return RuleOutcome(hasCount(number)) }
    return property.type == .mixed ? .unknown : RuleOutcome(false)
  }

  // MARK: Order

  /// Links are not ordered here: a comparison by order is neither true nor false for them.
  func ordered(_ symbol: Comparison.Operator, _ value: Value) -> RuleOutcome {
    if value == .null {
      return RuleOutcome(symbol == .lessOrEqual || symbol == .greaterOrEqual ? isNull : .never)
    }
    return foreignKey == nil ? RuleOutcome(orderedScalar(symbol, value)) : .unknown
  }

  private func orderedScalar(_ symbol: Comparison.Operator, _ value: Value) -> Predicate {
    guard let constant = constant(value) else { return .never }
    let comparison = compare(symbol, constant)
    // In queries, null sorts below every string. In MongoDB it is not comparable with strings.
    let isBelow = symbol == .less || symbol == .lessOrEqual
    guard isBelow, !isCollection, property.type == .string else { return comparison }
    return .conjunction([comparison, compare(.notEqual, .null)])
  }

  // MARK: Lists

  private func oneOf(_ operand: RuleOperand) -> RuleOutcome {
    guard let (values, isComplete) = scope.list(operand) else { return .unknown }
    let scalars = values.filter { !$0.isCollection }
    let holds = membership(scalars)
    return RuleOutcome(
      holds: holds,
      fails: isComplete && scalars.count == values.count ? holds.negated : .never
    )
  }

  /// Returns whether the value, or one of the elements, is one of the given values.
  private func membership(_ values: [Value]) -> Predicate {
    let isNull = values.contains(.null) ? isNull : .never
    return .disjunction([isNull, isOne(of: constants(values.filter { $0 != .null }))])
  }

  /// Returns the distinct values that the property can have, in the form in which it compares with them.
  func constants(_ values: [Value]) -> [Value] {
    var seen: Set<Value> = []
    return values.compactMap(constant).filter { seen.insert($0).inserted }
  }

  func isOne(of constants: [Value]) -> Predicate {
    guard let first = constants.first else { return .never }
    if constants.count == 1 { return compare(.equal, first) }
    let list = Operand.list(constants, isCollection ? .any : nil)
    var path = path
    if isCollection { path.quantifier = .any }
    return .comparison(Comparison(.path(path), .equal, list))
  }

  /// As in MongoDB, nothing contains all elements of an empty list.
  private func allOf(_ operand: RuleOperand) -> RuleOutcome {
    guard let (values, isComplete) = scope.list(operand) else { return .unknown }
    if values.isEmpty { return isComplete ? RuleOutcome(false) : .unknown }
    let outcome = RuleOutcome.all(values.map(equal))
    return isComplete ? outcome : RuleOutcome(holds: .never, fails: outcome.fails)
  }
}

extension Value {
  /// Returns the value in the form in which properties of a type compare with it; nil if they never do.
  package func matchable(as type: ValueType) -> Value? {
    switch (self, type) {
    case (.null, _), (.list, _), (.dictionary, _), (.link, _): nil
    case (_, .mixed): self
    case (.int(let int), .double): .double(Double(int))
    case (.int(let int), .float): .float(Float(int))
    case (.int(let int), .decimal): .decimal(Decimal128(int))
    case (.double(let double), .int): Int64(exactly: double).map(Value.int) ?? self
    case (.double(let double), .float): .float(Float(double))
    case (.double(let double), .decimal): .decimal(Decimal128(double))
    case (.decimal, .int), (.decimal, .double), (.decimal, .float): self
    default: self.type == type ? self : nil
    }
  }
}
