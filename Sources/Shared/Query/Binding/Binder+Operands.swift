// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Binds an operand that depends on an object.
  func operand(_ expression: SyntaxExpression) throws(QueryError) -> Operand {
    switch expression {
    case .path(let path): return folded(try resolve(path))
    case .aggregate(let path, let function, let property):
      return .aggregate(try aggregate(path, function, property))
    case .subquery(let path, let variable, let condition):
      return .subquery(try subquery(path, variable, condition))
    case .arithmetic(let symbol, let left, let right): return try arithmetic(symbol, left, right)
    case .constant, .list: throw .query("Cannot compare two constants")
    }
  }

  /// Replaces `@type` with a constant where it does not depend on an object: for everything except mixed values.
  private func folded(_ path: PropertyPath) -> Operand {
    guard path.measure == .type, path.property.collection != .dictionary || path.property.type == .link,
      path.property.type != .mixed
    else { return .path(path) }
    return .constant(.string(TypeName(path.property.type).text))
  }
}

// MARK: - Aggregates

extension Binder {
  private func aggregate(
    _ syntax: SyntaxPath,
    _ function: AggregateFunction,
    _ name: String?
  ) throws(QueryError) -> Aggregate {
    let path = try resolve(syntax)
    guard let name else { return try aggregate(path, function) }
    guard path.type == .link, path.selectors.isEmpty, let target = path.target else {
      throw .query(
        "Operation '.\(function.rawValue)' cannot apply to property '\(path.property.name)' because it is not a list"
      )
    }
    guard let property = schema[target]?.property(named: name) else {
      throw .query("'\(target)' has no property '\(name)'")
    }
    guard property.type.isNumeric || property.type == .timestamp || property.type == .mixed else {
      throw .query("collection aggregate not supported for type '\(property.type)'")
    }
    guard function.applies(to: property.type) else { throw notApplicable(function) }
    var aggregate = Aggregate(function, over: path)
    aggregate.property = property
    return aggregate
  }

  private func aggregate(
    _ path: PropertyPath,
    _ function: AggregateFunction
  ) throws(QueryError) -> Aggregate {
    guard path.isInPrimitiveCollection, path.selectors.isEmpty, function.applies(to: path.type) else {
      throw notApplicable(function)
    }
    return Aggregate(function, over: path)
  }

  private func notApplicable(_ function: AggregateFunction) -> QueryError {
    .query("Cannot use aggregate '.\(function.rawValue)' for this type of property")
  }
}

extension AggregateFunction {
  /// Whether values of a type support the ordering or arithmetic that the function needs. Timestamps have a minimum
  /// and a maximum, but no sum.
  package func applies(to type: ValueType) -> Bool {
    switch type {
    case .int, .float, .double, .decimal, .mixed: true
    case .timestamp: self == .minimum || self == .maximum
    default: false
    }
  }
}

// MARK: - Subqueries

extension Binder {
  private func subquery(
    _ syntax: SyntaxPath,
    _ variable: String,
    _ condition: SyntaxPredicate
  ) throws(QueryError) -> Subquery {
    let path = try resolve(syntax)
    guard path.endsInBacklinks || [.list, .set].contains(path.property.collection), path.selectors.isEmpty
    else {
      throw .query(
        "A subquery must operate on a list property, but '\(path.property.name)' is type '\(path.property.type)'"
      )
    }
    guard path.type == .link, let target = path.target else {
      throw .query(
        "A subquery can not operate on a list of primitive values (property '\(path.property.name)')"
      )
    }
    var binder = self
    binder.className = target
    let added = Variable(name: variable, className: target)
    guard !variables.contains(added) else {
      throw .query(
        "Unable to create a subquery expression with variable '\(variable)' since an identical variable already "
          + "exists in this context"
      )
    }
    binder.variables.append(added)
    return Subquery(path: path, className: target, predicate: try binder.bind(condition))
  }
}

// MARK: - Arithmetic

extension Binder {
  private func arithmetic(
    _ symbol: ArithmeticOperator,
    _ left: SyntaxExpression,
    _ right: SyntaxExpression
  ) throws(QueryError) -> Operand {
    let operands = try pair(left, right, isLenient: true)
    guard operands.left.isNumeric(writtenAs: left), operands.right.isNumeric(writtenAs: right) else {
      throw .argument(
        "Cannot perform '\(symbol.rawValue)' operation on '\(CanonicalText.of(operands.left))' and "
          + "'\(CanonicalText.of(operands.right))'"
      )
    }
    if operands.left.isSeveral && operands.right.isSeveral {
      throw .query("Operations involving two lists are not supported")
    }
    return .arithmetic(symbol, operands.left, operands.right)
  }

  /// Binds two expressions. A constant one is read to fit the other.
  func pair(
    _ left: SyntaxExpression,
    _ right: SyntaxExpression,
    isLenient: Bool
  ) throws(QueryError) -> (left: Operand, right: Operand) {
    if right.isConstant {
      let bound = left.isConstant ? try constant(left, .init(self)) : try operand(left)
      return (bound, try constant(right, ConstantReader(self, against: bound, isLenient: isLenient)))
    }
    let bound = try operand(right)
    guard left.isConstant else { return (try operand(left), bound) }
    return (try constant(left, ConstantReader(self, against: bound, isLenient: isLenient)), bound)
  }

  /// Binds an expression that does not depend on an object. Scalars are computed here, lists are left to the
  /// evaluator.
  private func constant(
    _ expression: SyntaxExpression,
    _ reader: ConstantReader
  ) throws(QueryError) -> Operand {
    switch expression {
    case .constant(let constant): return try reader.operand(constant)
    case .list(let list): return .list(try reader.values(list.elements), list.quantifier)
    case .arithmetic(let symbol, let left, let right):
      guard let value = try result(expression, reader) else { return try arithmetic(symbol, left, right) }
      return .constant(try reader.checked(value))
    case .path, .aggregate, .subquery: return try operand(expression)
    }
  }
}

extension Binder {
  /// Returns the result of arithmetic on constants only, or null if an operand is not a number. Returns nil if it
  /// contains a list.
  private func result(_ expression: SyntaxExpression, _ reader: ConstantReader) throws(QueryError) -> Value? {
    switch expression {
    case .constant(let constant): return try reader.operandOfArithmetic(constant)
    case .arithmetic(let symbol, let left, let right):
      guard let left = try result(left, reader), let right = try result(right, reader) else { return nil }
      return symbol.apply(left, right)
    case .list, .path, .aggregate, .subquery: return nil
    }
  }
}

extension Operand {
  /// Whether the operand supports arithmetic. A null literal does not, but null may be the result of arithmetic.
  fileprivate func isNumeric(writtenAs syntax: SyntaxExpression) -> Bool {
    if case .constant(.null) = self, case .constant = syntax { return false }
    if case .list = self { return true }
    return valueType.map { $0.isNumeric || $0 == .mixed } ?? true
  }

  /// Whether the operand yields several values for each object. A literal list with one element counts as its
  /// element.
  fileprivate var isSeveral: Bool {
    switch self {
    case .constant, .subquery: false
    case .list(let values, _): values.count != 1
    case .path(let path): path.isMultiple
    case .aggregate(let aggregate): aggregate.isMultiple
    case .arithmetic(_, let left, let right): left.isSeveral || right.isSeveral
    }
  }
}
