// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Operand {
  /// Whether the operand yields exactly one value for each object.
  var isScalar: Bool {
    switch self {
    case .constant, .subquery: true
    case .list: false
    case .path(let path): path.isScalar
    case .aggregate(let aggregate): !aggregate.isMultiple
    case .arithmetic(_, let left, let right): left.isScalar && right.isScalar
    }
  }

  /// Returns the value of a scalar operand.
  func scalar(in row: some PredicateRow) -> Value {
    switch self {
    case .constant(let value): value.orNull(in: row)
    case .path(let path): path.scalar(in: row)
    case .subquery(let subquery): .int(subquery.count(in: row))
    case .aggregate(let aggregate): aggregate.value(of: aggregate.elements(in: row))
    case .arithmetic(let symbol, let left, let right):
      symbol.apply(left.scalar(in: row), right.scalar(in: row))
    case .list: .null
    }
  }

  /// Returns the values for one object. Each list of primitives reached through a list of links forms its own group.
  /// A comparison holds if it holds for one group.
  func groups(in row: some PredicateRow) -> [[Value]] {
    if isScalar { return [[scalar(in: row)]] }
    switch self {
    case .constant, .subquery: return []
    case .list(let values, _): return [values.map { $0.orNull(in: row) }]
    case .path(let path): return path.groups(in: row)
    case .aggregate(let aggregate): return [aggregate.groups(in: row).map(aggregate.value)]
    case .arithmetic(let symbol, let left, let right):
      return Self.combine(left.groups(in: row), right.groups(in: row), left.isScalar, right.isScalar) {
        symbol.apply($0, $1)
      }
    }
  }

  /// Combines two operands. A scalar is combined with each element of a list; two lists are combined element by
  /// element.
  private static func combine(
    _ left: [[Value]],
    _ right: [[Value]],
    _ leftIsScalar: Bool,
    _ rightIsScalar: Bool,
    _ operation: (Value, Value) -> Value
  ) -> [[Value]] {
    left.flatMap { left in
      right.map { right in
        if leftIsScalar, let scalar = left.first { return right.map { operation(scalar, $0) } }
        if rightIsScalar, let scalar = right.first { return left.map { operation($0, scalar) } }
        return zip(left, right).map(operation)
      }
    }
  }
}

extension Aggregate {
  /// Whether there is one result for each of several lists: lists of primitives reached through a list of links.
  var isMultiple: Bool { property == nil && path.isGrouped }

  /// Returns the elements of the only collection.
  fileprivate func elements<Row: PredicateRow>(in row: Row) -> [Value] {
    guard let property else { return groups(in: row).first ?? [] }
    return path.objects(in: row).map { $0.value(of: property.name) }
  }

  /// Returns the elements of each collection.
  fileprivate func groups(in row: some PredicateRow) -> [[Value]] { path.groups(in: row) }

  /// Returns the aggregate of the elements, skipping nulls and not-a-number.
  public func value(of elements: [Value]) -> Value {
    switch function {
    case .minimum: extreme(of: elements) { $0 < 0 }
    case .maximum: extreme(of: elements) { $0 > 0 }
    case .sum: sum(of: elements).total
    case .average: average(of: elements)
    }
  }

  private func extreme(of elements: [Value], _ isBetter: (Int) -> Bool) -> Value {
    var best: Value?
    for element in elements where element != .null && !element.isNaN {
      guard let current = best else {
        best = element
        continue
      }
      if isBetter(ValueOrder.sort(element, current)) { best = element }
    }
    return best ?? .null
  }

  /// Returns the sum. Mixed values are summed as decimals.
  private func sum(of elements: [Value]) -> (total: Value, count: Int) {
    var count = 0
    var total: Value =
      switch elementType {
      case .int: .int(0)
      case .decimal, .mixed: .decimal(.zero)
      default: .double(0)
      }
    for element in elements {
      guard element.number != nil || element.type == .decimal, !element.isNaN else { continue }
      total = ArithmeticOperator.add.apply(total, element.widened)
      count += 1
    }
    return (total, count)
  }

  private func average(of elements: [Value]) -> Value {
    let (total, count) = sum(of: elements)
    guard count > 0 else { return .null }
    if case .int(let total) = total { return .double(Double(total) / Double(count)) }
    return ArithmeticOperator.divide.apply(total, .int(Int64(count)))
  }
}

extension Value {
  var isNaN: Bool {
    switch self {
    case .float(let float): float.isNaN
    case .double(let double): double.isNaN
    case .decimal(let decimal): decimal.isNaN
    default: false
    }
  }

  /// The value with floats widened to double, as they are summed.
  fileprivate var widened: Value {
    if case .float(let float) = self { .double(Double(float)) } else { self }
  }
}

extension Subquery {
  /// Returns the number of objects at the end of the path that meet the condition.
  fileprivate func count(in row: some PredicateRow) -> Int64 {
    path.objects(in: row).reduce(0) { $0 + (predicate.matches($1) ? 1 : 0) }
  }
}

extension GeoWithin {
  func matches<Row: PredicateRow>(_ row: Row) -> Bool {
    if let point = row.point(of: path.property.name) { return isInside(PointImage.place(point)) }
    return (path.quantifier ?? .any).isSatisfied(by: path.objects(in: row), isInside)
  }

  private func isInside(_ point: some PredicateRow) -> Bool {
    let coordinates = point.elements(of: "coordinates").prefix(PointImage.coordinateCount)
    return isInside(PointImage.place([point.value(of: "type")] + coordinates))
  }

  private func isInside(_ place: GeoPoint?) -> Bool { place.map(shape.contains) ?? false }
}
