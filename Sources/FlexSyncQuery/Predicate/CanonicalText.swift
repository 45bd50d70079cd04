// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Predicate {
  /// The one text that stands for this predicate: on the wire, and as the identity of a subscription without a name.
  ///
  /// It is in the reference's style (rql §9), so that every Realm peer reads it, and binding it to the same class
  /// gives an equal predicate.
  public var canonicalText: String { CanonicalText.of(self) }
}

extension BoundQuery {
  /// The predicate and the clauses behind it.
  public var canonicalText: String {
    ([predicate.canonicalText] + options.steps.map(CanonicalText.of)).joined(separator: " ")
  }
}

/// Prints predicates.
enum CanonicalText {
  static func of(_ predicate: Predicate) -> String {
    switch predicate {
    case .always: "TRUEPREDICATE"
    case .never: "FALSEPREDICATE"
    case .and(let conditions): conditions.map(of).joined(separator: " and ")
    case .or(let conditions): "(" + conditions.map(of).joined(separator: " or ") + ")"
    case .not(let condition): "!(" + of(condition) + ")"
    case .comparison(let comparison): of(comparison)
    case .geoWithin(let condition): of(condition)
    }
  }

  static func of(_ comparison: Comparison) -> String {
    let left = of(comparison.left, type: comparison.right.pathType)
    let right = of(comparison.right, type: comparison.left.pathType)
    let symbol = comparison.isMembership ? "IN" : comparison.operator.text
    return "\(left) \(symbol)\(comparison.ignoresCase ? "[c]" : "") \(right)"
  }

  /// - Parameter type: The type on the other side, which says how a constant will be read again.
  static func of(_ operand: Operand, type: ValueType?) -> String {
    switch operand {
    case .constant(let value): return of(value, type: type)
    case .list(let values, let quantifier):
      let elements = values.map { of($0, type: type) }.joined(separator: ", ")
      return prefix(quantifier) + "{\(elements)}"
    case .path(let path): return of(path)
    case .aggregate(let aggregate):
      let property = aggregate.property.map { "." + Identifier.escape($0.name) } ?? ""
      return "\(of(aggregate.path)).\(aggregate.function.rawValue)\(property)"
    case .subquery(let subquery): return of(subquery)
    case .arithmetic(let symbol, let left, let right):
      return "(\(of(left, type: right.pathType)) \(symbol.rawValue) \(of(right, type: left.pathType)))"
    }
  }

  /// The variables of nested subqueries are `$x`, `$y` …
  static func of(_ subquery: Subquery) -> String {
    "SUBQUERY(\(of(subquery.path)), $x, \(of(subquery.predicate))).@count"
  }

  static func of(_ step: QueryOptions.Step) -> String {
    switch step {
    case .sort(let keys):
      let parts = keys.map { of($0.path) + ($0.isAscending ? " ASC" : " DESC") }
      return "SORT(\(parts.joined(separator: ", ")))"
    case .distinct(let paths): return "DISTINCT(\(paths.map(of).joined(separator: ", ")))"
    case .limit(let count): return "LIMIT(\(count))"
    }
  }

  static func prefix(_ quantifier: Quantifier?) -> String {
    quantifier.map { $0.rawValue + " " } ?? ""
  }
}

extension CanonicalText {
  static func of(_ value: Value, type: ValueType? = nil) -> String {
    switch value {
    case .null: "NULL"
    case .int(let int): String(int)
    case .bool(let bool): bool ? "true" : "false"
    case .string(let string): quoted(Array(string.utf8), isPlain: isPlain(string))
    case .malformedString(let bytes): quoted(bytes, isPlain: false)
    case .binary(let bytes): binary(bytes)
    case .timestamp(let timestamp): timestamp.description
    case .float(let float): number(Double(float), float.description, isWholeEnough: type == .float)
    case .double(let double): number(double, double.description, isWholeEnough: type == .double)
    case .decimal(let decimal): DecimalNumber.text(decimal)
    case .link(let link): "obj(\"class_\(link.className)\",\(of(link.key.value ?? .null)))"
    case .objectId(let objectId): "oid(\(objectId))"
    case .uuid(let uuid): "uuid(\(uuid))"
    case .list(let elements): "{" + elements.map { of($0) }.joined(separator: ", ") + "}"
    case .dictionary(let entries):
      "{" + entries.map { "\(of(.string($0.key))): \(of($0.value))" }.joined(separator: ", ") + "}"
    }
  }

  /// Whole numbers lose their fraction where the other side's type restores it.
  private static func number(_ double: Double, _ description: String, isWholeEnough: Bool) -> String {
    if double.isNaN { return "nan" }
    if double.isInfinite { return double < 0 ? "-inf" : "inf" }
    let isWhole =
      double.magnitude < 1e15 && double == double.rounded() && !(double == 0 && double.sign == .minus)
    return isWholeEnough && isWhole ? String(Int64(double)) : description
  }

  private static func quoted(_ bytes: [UInt8], isPlain: Bool) -> String {
    isPlain ? "\"\(String(decoding: bytes, as: UTF8.self))\"" : "B64\"\(Base64Text.encode(bytes))\""
  }

  private static func binary(_ bytes: [UInt8]) -> String {
    "binary(\(quoted(bytes, isPlain: bytes.allSatisfy { $0 < 0x80 && isPlainByte($0) })))"
  }

  private static func isPlain(_ string: String) -> Bool { string.utf8.allSatisfy(isPlainByte) }

  /// Quotes and backslashes have no escape that keeps its meaning (rql §1), control characters are hard to read.
  private static func isPlainByte(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "'")
      && byte != UInt8(ascii: "\\")
  }
}

extension Operand {
  fileprivate var pathType: ValueType? {
    if case .path(let path) = self { path.type } else { nil }
  }
}

extension Comparison {
  /// A single property that equals one of several constants prints as IN.
  fileprivate var isMembership: Bool {
    guard self.operator == .equal, case .path(let path) = left, !path.isMultiple, case .list(_, nil) = right
    else { return false }
    return true
  }
}
