// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Predicate {
  /// The only text that represents this predicate: on the wire, and as the identity of a subscription without a name.
  ///
  /// It follows the reference's style (QueryLanguage §9), so every Realm peer can read it. Binding it to the same
  /// class yields an equal predicate. Takes time proportional to its length.
  public var canonicalText: String {
    var writer = CanonicalText()
    writer.write(self)
    return writer.text
  }
}

extension BoundQuery {
  /// The predicate, followed by its clauses.
  public var canonicalText: String {
    var writer = CanonicalText()
    writer.write(predicate)
    for step in options.steps {
      writer.text += " "
      writer.write(step)
    }
    return writer.text
  }
}

/// Prints predicates.
struct CanonicalText {
  var text = ""
  /// The number of enclosing subqueries.
  private var depth = 0

  static func of(_ operand: Operand) -> String {
    var writer = CanonicalText()
    writer.write(operand, type: nil)
    return writer.text
  }

  static func of(_ path: PropertyPath) -> String { of(.path(path)) }

  mutating func write(_ predicate: Predicate) {
    switch predicate {
    case .always: text += "TRUEPREDICATE"
    case .never: text += "FALSEPREDICATE"
    case .and(let conditions): write(conditions, separator: " and ") { $0.write($1) }
    case .or(let conditions):
      text += "("
      write(conditions, separator: " or ") { $0.write($1) }
      text += ")"
    case .not(let condition):
      text += "!("
      write(condition)
      text += ")"
    case .comparison(let comparison): write(comparison)
    case .geoWithin(let condition): write(condition)
    }
  }

  private mutating func write(_ comparison: Comparison) {
    write(comparison.left, type: comparison.right.constantType)
    text += comparison.isMembership ? " IN" : " " + comparison.operator.text
    let options = (comparison.ignoresCase ? "c" : "") + (comparison.ignoresDiacritics ? "d" : "")
    text += options.isEmpty ? " " : "[\(options)] "
    write(comparison.right, type: comparison.left.constantType)
  }

  /// - Parameter type: The type of the other side, which determines how a constant will be read again.
  private mutating func write(_ operand: Operand, type: ValueType?) {
    switch operand {
    case .constant(let value): text += Self.of(value, type: type)
    case .list(let values, let quantifier):
      write(quantifier)
      text += "{"
      // List elements keep their fraction, because the reference drops integers that are compared with a double.
      write(values, separator: ", ") { $0.text += Self.of($1) }
      text += "}"
    case .path(let path): write(path)
    case .aggregate(let aggregate):
      write(aggregate.path)
      text += "." + aggregate.function.rawValue
      if let property = aggregate.property { text += "." + Identifier.text(property.name) }
    case .subquery(let subquery): write(subquery)
    case .arithmetic(let symbol, let left, let right):
      text += "("
      writeTerm(left, type: right.constantType)
      text += " \(symbol.rawValue) "
      writeTerm(right, type: left.constantType)
      text += ")"
    }
  }

  /// Prints an operand of arithmetic. A null literal is not valid there, so null must be the result of arithmetic on
  /// constants and is printed as such.
  private mutating func writeTerm(_ operand: Operand, type: ValueType?) {
    guard operand == .constant(.null) else { return write(operand, type: type) }
    text += "(NULL + NULL)"
  }

  private mutating func write(_ subquery: Subquery) {
    text += "SUBQUERY("
    write(subquery.path)
    depth += 1
    text += ", \(variable), "
    write(subquery.predicate)
    depth -= 1
    text += ").@count"
  }

  /// The variable of the innermost subquery: `$x`, `$y`, `$z`, `$x1` …
  private var variable: String {
    let (round, letter) = (depth - 1).quotientAndRemainder(dividingBy: 3)
    return ["$x", "$y", "$z"][letter] + (round > 0 ? String(round) : "")
  }

  mutating func write(_ step: QueryOptions.Step) {
    switch step {
    case .sort(let keys):
      text += "SORT("
      write(keys, separator: ", ") { writer, key in
        writer.write(key.path)
        writer.text += key.isAscending ? " ASC" : " DESC"
      }
    case .distinct(let paths):
      text += "DISTINCT("
      write(paths, separator: ", ") { $0.write($1) }
    case .limit(let count): text += "LIMIT(\(count)"
    }
    text += ")"
  }

  /// Prints the quantifier, the variable if the path starts at the object of a subquery, and the path.
  mutating func write(_ path: PropertyPath) {
    write(path.quantifier)
    if depth > 0 { text += variable + "." }
    writeElements(of: path)
  }

  private mutating func write(_ quantifier: Quantifier?) {
    if let quantifier { text += quantifier.rawValue + " " }
  }

  mutating func write<Element>(
    _ elements: [Element],
    separator: String,
    _ body: (inout CanonicalText, Element) -> Void
  ) {
    for (index, element) in elements.enumerated() {
      if index > 0 { text += separator }
      body(&self, element)
    }
  }
}

extension Operand {
  /// The type that a constant on the other side is converted to.
  fileprivate var constantType: ValueType? {
    switch self {
    case .constant, .list: nil
    default: valueType
    }
  }
}

extension Comparison {
  /// Whether the comparison prints as IN: a single-valued property that equals one of several constants, or a
  /// collection of links that equals a complete list, for which `==` would search for any of its elements.
  fileprivate var isMembership: Bool {
    guard self.operator == .equal, case .path(let path) = left, case .list(_, nil) = right else {
      return false
    }
    return !path.isMultiple || path.type == .link && path.links.isEmpty && path.quantifier == nil
  }
}
