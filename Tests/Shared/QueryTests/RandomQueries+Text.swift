// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Query texts; not all of them bind.
extension RandomQueries {
  /// A query on class A, or B, with its arguments.
  mutating func query(on className: String = "A") -> (text: String, arguments: [QueryArgument]) {
    var arguments: [QueryArgument] = []
    let text = condition(className, depth: 3, &arguments)
    return (text, arguments)
  }

  /// A query that fits the class.
  mutating func boundQuery(on className: String) throws -> BoundQuery {
    var refusal: QueryError?
    for _ in 0..<1000 {
      let (text, arguments) = query(on: className)
      let clauses = random.chance(30) ? " " + clauses(on: className) : ""
      do throws(QueryError) {
        return try Query.parse(text + clauses).bind(
          to: Self.schema,
          className: className,
          arguments: arguments
        )
      } catch {
        refusal = error
      }
    }
    throw refusal ?? QueryError(.query, "no query fits")
  }

  /// SORT, DISTINCT and LIMIT clauses in any order; empty for none.
  mutating func clauses(on className: String = "A") -> String {
    var clauses: [String] = []
    while random.chance(60), clauses.count < 3 {
      let paths = (0..<Int.random(in: 1...2, using: &random)).map { _ in sortPath(className) }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: clauses.append("LIMIT(\(Int.random(in: 0...8, using: &random)))")
      case 1: clauses.append("DISTINCT(\(paths.joined(separator: ", ")))")
      default:
        let keys = paths.map { "\($0) \(random.pick(["ASC", "DESC"]))" }
        clauses.append("SORT(\(keys.joined(separator: ", ")))")
      }
    }
    return clauses.joined(separator: " ")
  }

  private mutating func sortPath(_ className: String) -> String {
    var names: [String] = []
    while random.chance(30), names.count < 2 { names.append(random.pick(["toA", "toB"])) }
    // A key without equals, after which nothing else can matter.
    if random.chance(10) { return (names + ["_id"]).joined(separator: ".") }
    let name = random.pick(Self.types).word
    return (names + [name + random.pick(["", "Opt"])]).joined(separator: ".")
  }

  private mutating func condition(
    _ className: String,
    depth: Int,
    _ arguments: inout [QueryArgument],
    variable: String? = nil
  ) -> String {
    let choice = Int.random(in: 0..<(depth > 0 ? 11 : 6), using: &random)
    switch choice {
    case 6: return "NOT (" + condition(className, depth: depth - 1, &arguments, variable: variable) + ")"
    case 7, 8, 9:
      let left = condition(className, depth: depth - 1, &arguments, variable: variable)
      let right = condition(className, depth: depth - 1, &arguments, variable: variable)
      return "(\(left) \(choice == 7 ? "AND" : "OR") \(right))"
    case 10 where variable == nil: return subquery(className, &arguments)
    case 5 where random.chance(20): return random.pick(["TRUEPREDICATE", "FALSEPREDICATE"])
    default: return comparison(className, &arguments, variable: variable)
    }
  }

  private mutating func subquery(_ className: String, _ arguments: inout [QueryArgument]) -> String {
    let target = random.pick(["A", "B"])
    let inner = condition(target, depth: 1, &arguments, variable: "$x")
    let list = random.pick(["all\(target)", "all\(target)", "@links.\(target).all\(className)"])
    let symbol = random.pick(["==", ">", "<=", "!="])
    return "SUBQUERY(\(list), $x, \(inner)).@count \(symbol) \(Int.random(in: 0...3, using: &random))"
  }

  private mutating func comparison(
    _ className: String,
    _ arguments: inout [QueryArgument],
    variable: String?
  ) -> String {
    let (path, type) = self.path(className, variable)
    if random.chance(8) { return "\(path) BETWEEN {\(literal(type)), \(literal(type))}" }
    if random.chance(8) { return "\(path) IN {\(literal(type)), \(literal(type)), \(literal(type))}" }
    var symbol = random.pick(["==", "!=", "<", "<=", ">", ">=", "==", "!="])
    if type == .string || type == .binary || type == .mixed, random.chance(50) {
      symbol = random.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==", "!="])
      if random.chance(40) { symbol += "[c]" }
    }
    if random.chance(15) { symbol = "==" }
    let left = random.chance(15) ? arithmetic(path, className, variable) : path
    let other = random.chance(15) ? self.path(className, variable).text : constant(type, &arguments)
    return random.chance(80) ? "\(left) \(symbol) \(other)" : "\(other) \(symbol) \(left)"
  }

  private mutating func arithmetic(_ path: String, _ className: String, _ variable: String?) -> String {
    let sign = random.pick(["+", "-", "*", "/"])
    let other =
      random.chance(50)
      ? literal(random.pick([.int, .double]))
      : prefix(variable) + random.pick(["int", "doubleOpt", "decimal"])
    return random.chance(50) ? "(\(path) \(sign) \(other))" : "(\(other) \(sign) \(path))"
  }

  private func prefix(_ variable: String?) -> String { variable.map { $0 + "." } ?? "" }

  /// A constant as text; of a type that has no plain form, null.
  private mutating func literal(_ type: ValueType) -> String {
    switch type {
    case .int: random.pick(["0", "1", "2", "-1", "5", "1.5"])
    case .bool: random.pick(["true", "false"])
    case .string: random.pick(["'a'", "\"ab\"", "''", "'ä'"])
    case .timestamp: random.pick(["T0:0", "T1:1", "2023-11-14@22:13:20"])
    case .float, .double, .decimal: random.pick(["0", "1", "1.5", "-1.0", "2.25", "inf", "nan", "0.1"])
    case .mixed: random.pick(["1", "'a'", "true", "1.5", "null", "T0:0", "binary('a')"])
    case .binary: random.pick(["binary('a')", "binary('ab')"])
    default: "null"
    }
  }

  private mutating func constant(_ type: ValueType, _ arguments: inout [QueryArgument]) -> String {
    if random.chance(20) { return literal(type) }
    let constantType =
      type.isFloating && random.chance(30)
      ? random.pick([.int, .decimal]) : type == .int && random.chance(30) ? .double : type
    if type != .mixed, random.chance(20) {
      let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        random.chance(10) ? .null : scalar(constantType)
      }
      arguments.append(.list(values))
      return random.pick(["", "", "ANY ", "ALL ", "NONE "]) + "$\(arguments.count - 1)"
    }
    arguments.append(.value(random.chance(10) ? .null : scalar(constantType)))
    return "$\(arguments.count - 1)"
  }
}

/// Paths.
extension RandomQueries {
  fileprivate mutating func path(_ className: String, _ variable: String?) -> (text: String, type: ValueType)
  {
    var names = variable.map { [$0] } ?? []
    var owner = className
    var isMultiple = false
    for _ in 0..<2 where random.chance(25) {
      let (name, target, isMany) = step(from: owner)
      names.append(name)
      owner = target
      isMultiple = isMultiple || isMany
    }
    let end = self.end(of: owner)
    isMultiple = isMultiple || end.isMultiple
    let quantifier = isMultiple ? random.pick(["", "", "ANY ", "ALL ", "NONE "]) : ""
    return (quantifier + (names + [end.text]).joined(separator: "."), end.type)
  }

  private mutating func step(from owner: String) -> (name: String, target: String, isMany: Bool) {
    if owner == "E" { return random.chance(70) ? ("toA", "A", false) : ("@links.A.one", "A", true) }
    let target = random.pick(["A", "B"])
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2: return ("to\(target)", target, false)
    case 3, 4: return ("all\(target)", target, true)
    case 5: return (random.pick(["some\(target)", "map\(target)"]), target, true)
    case 6: return ("one", "E", false)
    case 7: return ("many", "E", true)
    default: return ("@links.\(target).\(random.pick(["to", "all", "some"]))\(owner)", target, true)
    }
  }

  private mutating func end(of owner: String) -> (text: String, type: ValueType, isMultiple: Bool) {
    if owner == "E" {
      let (name, type) = random.pick([
        ("int", ValueType.int), ("stringOpt", .string), ("decimalOpt", .decimal),
      ])
      return random.chance(20) ? ("intList", .int, true) : (name, type, false)
    }
    let type = random.pick(Self.types)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<10: return single(type)
    case 10..<13: return list(type)
    case 13..<15:
      return random.chance(60) ? ("\(type.word)Set", type, true) : aggregate("\(type.word)Set", type)
    case 15..<17: return dictionary(type)
    case 17: return ("@links.@count", .int, false)
    case 18:
      let (name, measured) = random.pick([
        ("int", ValueType.int), ("doubleOpt", .double), ("decimal", .decimal),
      ])
      return (
        "all\(random.pick(["A", "B"])).@\(random.pick(["min", "max", "sum", "avg"])).\(name)", measured, false
      )
    default: return ("all\(random.pick(["A", "B"])).@count", .int, false)
    }
  }

  private mutating func single(_ type: ValueType) -> (String, ValueType, Bool) {
    let name = type.word + random.pick(["", "Opt"])
    switch type {
    case .string where random.chance(10), .binary where random.chance(10):
      return ("\(name).@size", .int, false)
    case .mixed where random.chance(40):
      switch random.pick([0, 1, 2, 3]) {
      case 0: return ("\(name).@size", .int, false)
      case 1: return (name + random.pick(["[0]", "['a']", "[LAST]", "['b'][0]"]), .mixed, false)
      case 2: return ("\(name)[*]", .mixed, true)
      default: return ("\(name).@keys", .string, true)
      }
    default: return (name, type, false)
    }
  }

  private mutating func list(_ type: ValueType) -> (String, ValueType, Bool) {
    let name = "\(type.word)List"
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return (name + random.pick(["[0]", "[1]", "[FIRST]", "[LAST]"]), type, false)
    case 2: return ("\(name).@count", .int, false)
    case 3, 4: return aggregate(name, type)
    case 5 where type == .string: return ("\(name).length", .int, true)
    default: return (name, type, true)
    }
  }

  private mutating func dictionary(_ type: ValueType) -> (String, ValueType, Bool) {
    let name = "\(type.word)Map"
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2: return (name + random.pick(["['a']", "['k y']", "['zz']"]), type, false)
    case 3: return ("\(name).@keys", .string, true)
    case 4: return ("\(name).@values", type, true)
    case 5: return aggregate(name, type)
    default: return (name, type, true)
    }
  }

  private mutating func aggregate(_ name: String, _ type: ValueType) -> (String, ValueType, Bool) {
    let function = random.pick(["@count", "@min", "@max", "@sum", "@avg"])
    return ("\(name).\(function)", function == "@count" ? .int : function == "@avg" ? .double : type, false)
  }
}

extension ValueType {
  fileprivate var isFloating: Bool { self == .float || self == .double || self == .decimal }
}
