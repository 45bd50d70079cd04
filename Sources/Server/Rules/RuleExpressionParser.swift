// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// Reads rule expressions from their JSON.
package struct RuleExpressionParser {
  /// Whether the expression may refer to fields of an object. An `apply_when` is about the user only.
  let allowsFields: Bool
  private var depth = 0

  /// The maximum nesting depth, well beyond that of real rules.
  static let maximumDepth = 32

  package init(allowsFields: Bool) { self.allowsFields = allowsFields }

  /// - Throws: `RuleSyntaxError` with the location of the first error.
  package mutating func expression(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleExpression {
    try descend(node)
    defer { depth -= 1 }
    switch node.value {
    case .bool(let value): return .constant(value)
    case .string("%%true"): return .constant(true)
    case .string("%%false"): return .constant(false)
    case .object:
      var parts: [RuleExpression] = []
      for (name, member) in node.members() { parts.append(try part(name, member)) }
      return parts.isEmpty ? .constant(true) : parts.count == 1 ? parts[0] : .all(parts)
    default: throw .malformed(node, "must be true, false or an object with conditions")
    }
  }

  mutating func descend(_ node: ConfigurationNode) throws(RuleSyntaxError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw .malformed(node, "is nested more than \(Self.maximumDepth) levels deep")
    }
  }

  mutating func ascend() { depth -= 1 }

  private mutating func part(
    _ name: String,
    _ node: ConfigurationNode
  ) throws(RuleSyntaxError) -> RuleExpression {
    if let expansion = RuleWords.expansionMeant(by: name) {
      throw .malformed(node, "\(name) is unknown; expansions begin with two percent signs: \"\(expansion)\"")
    }
    if let word = RuleWords.operatorName(name) {
      switch word {
      case "and": return .all(try expressions(node))
      case "or": return .any(try expressions(node))
      case "nor": return .not(.any(try expressions(node)))
      case "not": return .not(try expression(node))
      default: throw RuleWords.refusal(of: name, node)
      }
    }
    return try conditions(on: try subject(name, node), node)
  }

  private mutating func expressions(_ node: ConfigurationNode) throws(RuleSyntaxError) -> [RuleExpression] {
    guard let elements = node.elements(), !elements.isEmpty else {
      throw .malformed(node, "must be a list of one or more expressions")
    }
    var parts: [RuleExpression] = []
    for element in elements { parts.append(try expression(element)) }
    return parts
  }

  private func subject(_ name: String, _ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleTest.Subject
  {
    switch name {
    case "%%true": return .constant(true)
    case "%%false": return .constant(false)
    default: break
    }
    if name.hasPrefix("%%") { return .expansion(try RuleWords.expansion(name, node)) }
    guard allowsFields else {
      throw .notSyncCompatible(
        node,
        "\"\(name)\" is a field of a document, but the server chooses roles when a session begins, before it "
          + "reads any document"
      )
    }
    guard !name.contains(".") else {
      throw .notSyncCompatible(
        node,
        "\"\(name)\" is a nested field; only top-level fields are queryable"
      )
    }
    return .field(name)
  }

  // MARK: Conditions

  /// Reads the conditions on a subject: a value that it must equal, or operators.
  private mutating func conditions(
    on subject: RuleTest.Subject,
    _ node: ConfigurationNode
  ) throws(RuleSyntaxError) -> RuleExpression {
    guard case .object(let members) = node.value, !RuleWords.isValue(node.value) else {
      return .test(RuleTest(subject: subject, condition: .compare(.equal, try operand(node))))
    }
    try descend(node)
    defer { ascend() }
    let names = members.map(\.name)
    if names.contains(where: { RuleWords.operatorName($0) == nil }) || names.isEmpty {
      // An expression that must be true, or must be false.
      if case .constant(let value) = subject {
        let inner = try expression(node)
        return value ? inner : .not(inner)
      }
      throw .notSyncCompatible(node, "compares with an entire document; only top-level fields are queryable")
    }
    var parts: [RuleExpression] = []
    for (name, member) in node.members() { parts.append(try condition(name, on: subject, member)) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func condition(
    _ name: String,
    on subject: RuleTest.Subject,
    _ node: ConfigurationNode
  ) throws(RuleSyntaxError) -> RuleExpression {
    func test(_ condition: RuleTest.Condition) -> RuleExpression {
      .test(RuleTest(subject: subject, condition: condition))
    }
    switch RuleWords.operatorName(name) {
    case "eq": return test(.compare(.equal, try operand(node)))
    case "ne": return .not(test(.compare(.equal, try operand(node))))
    case "gt": return test(.compare(.greater, try single(node)))
    case "gte": return test(.compare(.greaterOrEqual, try single(node)))
    case "lt": return test(.compare(.less, try single(node)))
    case "lte": return test(.compare(.lessOrEqual, try single(node)))
    case "in": return test(.oneOf(try list(node)))
    case "nin": return .not(test(.oneOf(try list(node))))
    case "all" where subject != .element: return test(.allOf(try list(node)))
    case "size" where subject != .element: return test(.count(try size(node)))
    case "elemMatch" where subject != .element: return test(.element(try elementConditions(node)))
    case "exists" where subject != .element: return try truth(node) ? test(.exists) : .not(test(.exists))
    case "not": return .not(try conditions(on: subject, node))
    case "and": return .all(try conditions(list: node, on: subject))
    case "or": return .any(try conditions(list: node, on: subject))
    case "nor": return .not(.any(try conditions(list: node, on: subject)))
    default: throw RuleWords.refusal(of: name, node)
    }
  }

  /// Reads the conditions on one element. They must be operators, because a value would have to be a document.
  private mutating func elementConditions(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleExpression
  {
    guard case .object = node.value, !RuleWords.isValue(node.value) else {
      throw .malformed(node, "must be an object with operators, such as {\"$in\": …}")
    }
    return try conditions(on: .element, node)
  }

  private mutating func conditions(
    list node: ConfigurationNode,
    on subject: RuleTest.Subject
  ) throws(RuleSyntaxError) -> [RuleExpression] {
    guard let elements = node.elements(), !elements.isEmpty else {
      throw .malformed(node, "must be a list of one or more conditions")
    }
    var parts: [RuleExpression] = []
    for element in elements { parts.append(try conditions(on: subject, element)) }
    return parts
  }
}
