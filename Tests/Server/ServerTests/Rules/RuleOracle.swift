// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// Evaluates rule expressions on documents straight from their JSON, with MongoDB's semantics; shares nothing with the
/// server. Nil is "not known": something that the user's data lack.
struct RuleOracle {
  let user: JSON
  let values: JSON
  let document: JSON

  func isTrue(_ expression: JSON) -> Bool { evaluate(expression) == true }

  private func evaluate(_ expression: JSON) -> Bool? {
    switch expression {
    case .bool(let value): return value
    case .object(let members): return all(members.map { part($0.name, $0.value) })
    default: return nil
    }
  }

  private func all(_ parts: [Bool?]) -> Bool? {
    if parts.contains(false) { return false }
    return parts.contains(nil) ? nil : true
  }

  private func any(_ parts: [Bool?]) -> Bool? {
    if parts.contains(true) { return true }
    return parts.contains(nil) ? nil : false
  }

  private func part(_ name: String, _ value: JSON) -> Bool? {
    let parts = (value.arrayValue ?? []).map(evaluate)
    switch name.dropFirst() {
    case "and" where !name.hasPrefix("%%"): return all(parts)
    case "or" where !name.hasPrefix("%%"): return any(parts)
    case "nor" where !name.hasPrefix("%%"): return any(parts).map { !$0 }
    case "not" where !name.hasPrefix("%%"): return evaluate(value).map { !$0 }
    default: break
    }
    if name.hasPrefix("%%") { return condition(value, on: find(name) ?? .null) }
    return condition(value, on: document[name] ?? .null)
  }

  // MARK: Conditions

  private func condition(_ condition: JSON, on subject: JSON) -> Bool? {
    guard case .object(let members) = condition, let first = members.first?.name, isOperator(first) else {
      return resolve(condition).flatMap { equals(subject, $0) }
    }
    return all(members.map { test($0.name, $0.value, subject) })
  }

  private func isOperator(_ name: String) -> Bool {
    guard name.hasPrefix("$") || name.hasPrefix("%"), !name.hasPrefix("%%") else { return false }
    return !["$oid", "$date", "%stringToOid", "%oidToString"].contains(name)
  }

  private func test(_ name: String, _ operand: JSON, _ subject: JSON) -> Bool? {
    switch name.dropFirst() {
    case "eq": return resolve(operand).flatMap { equals(subject, $0) }
    case "ne": return resolve(operand).flatMap { equals(subject, $0) }.map { !$0 }
    case "gt", "gte", "lt", "lte":
      guard let operand = resolve(operand) else { return nil }
      return elements(subject).contains { isOrdered(String(name.dropFirst()), $0, operand) }
    case "in": return isIn(subject, operand)
    case "nin": return isIn(subject, operand).map { !$0 }
    case "all":
      guard let (list, isComplete) = list(operand) else { return nil }
      if list.isEmpty { return isComplete ? false : nil }
      let outcome = all(list.map { equals(subject, $0) })
      return outcome == true && !isComplete ? nil : outcome
    case "size":
      guard let size = resolve(operand)?.integerValue else { return nil }
      return subject.arrayValue.map { $0.count == size } ?? false
    case "elemMatch":
      // Also where there is no element, something unknown makes nothing false.
      let isThere = any((subject.arrayValue ?? []).map { condition(operand, on: $0) })
      return isThere == true ? true : isKnown(operand) ? false : nil
    case "exists": return (subject != .null) == (operand == true)
    case "not": return condition(operand, on: subject).map { !$0 }
    case "and": return all((operand.arrayValue ?? []).map { condition($0, on: subject) })
    case "or": return any((operand.arrayValue ?? []).map { condition($0, on: subject) })
    default: return nil
    }
  }

  /// Whether all that operators compare with is known.
  private func isKnown(_ conditions: JSON) -> Bool {
    guard case .object(let members) = conditions else { return false }
    return members.allSatisfy { member in
      switch member.name.dropFirst() {
      case "and", "or": return (member.value.arrayValue ?? []).allSatisfy(isKnown)
      case "not": return isKnown(member.value)
      case "in", "nin": return list(member.value)?.isComplete == true
      default: return resolve(member.value) != nil
      }
    }
  }

  private func isIn(_ subject: JSON, _ operand: JSON) -> Bool? {
    guard let (list, isComplete) = list(operand) else { return nil }
    let found = list.contains { value in elements(subject).contains { isSame($0, value) } }
    return found || isComplete ? found : nil
  }

  /// A condition on an array asks each of its elements.
  private func elements(_ subject: JSON) -> [JSON] { subject.arrayValue ?? [subject] }

  private func equals(_ subject: JSON, _ value: JSON) -> Bool? {
    guard let other = value.arrayValue else { return elements(subject).contains { isSame($0, value) } }
    guard let subject = subject.arrayValue else { return false }
    return subject.count == other.count && zip(subject, other).allSatisfy(isSame)
  }

  private func isSame(_ left: JSON, _ right: JSON) -> Bool {
    if let left = left.doubleValue, let right = right.doubleValue { return left == right }
    return left == right
  }

  private func isOrdered(_ symbol: String, _ left: JSON, _ right: JSON) -> Bool {
    guard let order = order(left, right) else { return false }
    return switch symbol {
    case "gt": order > 0
    case "gte": order >= 0
    case "lt": order < 0
    default: order <= 0
    }
  }

  private func order(_ left: JSON, _ right: JSON) -> Int? {
    func compare<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
      left < right ? -1 : left > right ? 1 : 0
    }
    if let left = left.doubleValue, let right = right.doubleValue { return compare(left, right) }
    if let left = left.stringValue, let right = right.stringValue {
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : left == right ? 0 : 1
    }
    if let left = left.boolValue, let right = right.boolValue { return compare(left ? 1 : 0, right ? 1 : 0) }
    for key in ["$oid", "$date"] {
      if let left = left[key]?.stringValue, let right = right[key]?.stringValue {
        return compare(left, right)
      }
    }
    return left == .null && right == .null ? 0 : nil
  }

  // MARK: Expansions

  private func find(_ expansion: String) -> JSON? {
    var names = expansion.dropFirst(2).split(separator: ".").map(String.init)
    var found: JSON? = names.removeFirst() == "user" ? user : values
    for name in names { found = found?[name] }
    return found
  }

  /// Nil for what is not known.
  private func resolve(_ operand: JSON) -> JSON? {
    switch operand {
    case .string(let text) where text.hasPrefix("%%"):
      let found = find(text)
      return text.hasPrefix("%%user") && found == .null ? nil : found
    case .array(let operands):
      let resolved = operands.compactMap(resolve)
      return resolved.count == operands.count ? .array(resolved) : nil
    case .object(let members) where members.first?.name == "%stringToOid":
      guard let text = resolve(members[0].value)?.stringValue, text.utf8.count == 24 else { return nil }
      return ["$oid": .string(text)]
    case .object(let members) where members.first?.name == "%oidToString":
      return resolve(members[0].value)?["$oid"]
    default: return operand
    }
  }

  private func list(_ operand: JSON) -> (list: [JSON], isComplete: Bool)? {
    if let operands = operand.arrayValue {
      let resolved = operands.compactMap(resolve)
      return (resolved, resolved.count == operands.count)
    }
    guard let list = resolve(operand)?.arrayValue else { return nil }
    guard operand.stringValue?.hasPrefix("%%user") == true else { return (list, true) }
    let known = list.filter { $0 != .null }
    return (known, known.count == list.count)
  }
}
