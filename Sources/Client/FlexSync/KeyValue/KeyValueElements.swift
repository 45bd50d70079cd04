// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The elements of a collection, whose values key-value coding combines.
struct KeyValueElements {
  let elements: [Any?]

  init(_ elements: [Any?]) { self.elements = elements }

  func values(forKey key: String) -> [Any?] {
    key == "self" ? elements : elements.map { keyedValue(of: $0, forKey: key) }
  }

  /// An array of values, or what an operator such as `@sum` makes of them.
  ///
  /// - Parameter aggregate: computes `@min`, `@max`, `@sum` and `@avg` of a property.
  func value(
    forKeyPath keyPath: String,
    aggregate: ((Aggregate, _ key: String) -> Any?)? = nil
  ) -> Any? {
    let path = KeyValuePath(keyPath)
    guard keyPath.hasPrefix("@") else {
      let values = values(forKey: path.first)
      return path.rest.map { KeyValueElements(values).value(forKeyPath: $0) } ?? listed(values)
    }
    let name = String(path.first.dropFirst())
    if name == "count" { return elements.count }
    guard let function = KeyValueFunction(name) else {
      Misuse.stop("Unsupported KVC collection operator found in key path '\(keyPath)'")
    }
    guard let key = path.rest, !key.isEmpty else {
      Misuse.stop("Missing key path for KVC collection operator \(name) in key path '\(keyPath)'")
    }
    Misuse.require(
      !key.contains("."),
      "Nested key paths are not supported yet for KVC collection operators."
    )
    switch function {
    case .aggregate(let function):
      return aggregate.map { $0(function, key) } ?? self.aggregate(function, key)
    case .union(let isOfArrays, let isDistinct):
      Misuse.require(
        !isOfArrays || key != "self",
        "self is not a valid key-path for a KVC array collection operator as '\(name)'."
      )
      let values = isOfArrays ? values(forKey: key).flatMap(elements(of:)) : values(forKey: key)
      return listed(isDistinct ? distinct(values) : values)
    }
  }

  /// An aggregate of the values, computed in memory. Nulls are skipped.
  func aggregate(_ function: Aggregate, _ key: String) -> Any? {
    let values = values(forKey: key).compactMap(\.self)
    switch function {
    case .min: return values.min { isLess($0, $1, "@min", key) }
    case .max: return values.max { isLess($0, $1, "@max", key) }
    case .sum: return sum(values, "@sum", key) ?? 0
    case .average:
      return switch sum(values, "@avg", key) {
      case nil: nil
      case let decimal as Decimal128: decimal / Decimal128(values.count)
      case let integer as Int: Double(integer) / Double(values.count)
      case let double as Double: double / Double(values.count)
      case let sum?: fatalError("a sum cannot be a \(type(of: sum))")
      }
    }
  }

  private func sum(_ values: [Any], _ name: String, _ key: String) -> Any? {
    values.reduce(nil as Any?) { sum, value in
      let number = number(value, name, key)
      guard let sum = sum.flatMap(SummedNumber.init) else { return number.value }
      return sum.adding(number).value
    }
  }

  private func isLess(_ left: Any, _ right: Any, _ name: String, _ key: String) -> Bool {
    if let left = left as? Date, let right = right as? Date { return left < right }
    return number(left, name, key).isLess(than: number(right, name, key))
  }

  private func number(_ value: Any, _ name: String, _ key: String) -> SummedNumber {
    guard let number = SummedNumber(value) else {
      Misuse.stop("\(name) is not supported for the \(type(of: value)) values of '\(key)'")
    }
    return number
  }

  private func elements(of value: Any?) -> [Any?] {
    (value.flatMap { collectedElements(of: $0) } ?? []).map { plainValue($0) }
  }

  private func distinct(_ values: [Any?]) -> [Any?] {
    var seen: Set<AnyHashable> = []
    return values.filter { value in
      guard let hashable = value as? AnyHashable else { return true }
      return seen.insert(hashable).inserted
    }
  }
}

/// Values as an array that can be cast to one of their type, or of optionals of it.
func listed(_ values: [Any?]) -> [Any] { values.map { $0 as Any } }

/// The function that an operator in a key path applies to values.
private enum KeyValueFunction {
  case aggregate(Aggregate)
  case union(isOfArrays: Bool, isDistinct: Bool)

  init?(_ name: String) {
    switch name {
    case "min": self = .aggregate(.min)
    case "max": self = .aggregate(.max)
    case "sum": self = .aggregate(.sum)
    case "avg": self = .aggregate(.average)
    case "unionOfObjects": self = .union(isOfArrays: false, isDistinct: false)
    case "distinctUnionOfObjects": self = .union(isOfArrays: false, isDistinct: true)
    case "unionOfArrays": self = .union(isOfArrays: true, isDistinct: false)
    case "distinctUnionOfArrays": self = .union(isOfArrays: true, isDistinct: true)
    default: return nil
    }
  }
}

/// A number that can be added to and compared with others.
enum SummedNumber {
  case int(Int)
  case double(Double)
  case decimal(Decimal128)

  init?(_ value: Any) {
    switch plainNumber(value) {
    case let integer as any FixedWidthInteger: self = .int(Int(truncatingIfNeeded: integer))
    case let number as any BinaryFloatingPoint: self = .double(Double(number))
    case let decimal as Decimal128: self = .decimal(decimal)
    default: return nil
    }
  }

  var value: Any {
    switch self {
    case .int(let value): value
    case .double(let value): value
    case .decimal(let value): value
    }
  }

  private var double: Double {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): value.doubleValue
    }
  }

  /// Integers wrap around, as in `Results.sum`.
  func adding(_ other: SummedNumber) -> SummedNumber {
    switch (self, other) {
    case (.int(let left), .int(let right)): .int(left &+ right)
    case (.decimal(let left), .decimal(let right)): .decimal(left + right)
    default: .double(double + other.double)
    }
  }

  func isLess(than other: SummedNumber) -> Bool {
    switch (self, other) {
    case (.int(let left), .int(let right)): left < right
    case (.decimal(let left), .decimal(let right)): left < right
    default: double < other.double
    }
  }
}
