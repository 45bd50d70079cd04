// SPDX-License-Identifier: Apache-2.0

import FlexSyncDocuments
import FlexSyncJSON
import FlexSyncModel

extension RuleExpressionParser {
  mutating func operand(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleOperand {
    try descend(node)
    defer { ascend() }
    switch node.value {
    case .string("%%true"): return .literal(.bool(true))
    case .string("%%false"): return .literal(.bool(false))
    case .string(let text) where text.hasPrefix("%%"):
      return .expansion(try RuleWords.expansion(text, node))
    case .string(let text):
      if let expansion = RuleWords.expansionMeant(by: text) {
        node.warning(
          "\"\(text)\" is a text like any other. If you mean the expansion, write \"\(expansion)\""
        )
      }
      return .literal(.string(text))
    case .array:
      var operands: [RuleOperand] = []
      for element in node.elements() ?? [] { operands.append(try operand(element)) }
      return .list(operands)
    case .object(let members):
      if let member = members.first, members.count == 1, member.name.hasPrefix("%") {
        return try conversion(member.name, node)
      }
      guard let value = RuleValues.value(node.value), !value.isCollection else {
        throw .notSyncCompatible(
          node,
          "compares with an entire document; only top-level fields are queryable"
        )
      }
      return .literal(value)
    default:
      guard let value = RuleValues.value(node.value) else { throw .malformed(node, "is not a value") }
      return .literal(value)
    }
  }

  /// Reads the operand of an ordering.
  mutating func single(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleOperand {
    let operand = try operand(node)
    if case .list = operand { throw .malformed(node, "must be one value, not a list") }
    return operand
  }

  /// Reads the operand of `$in` and similar operators: a list, or an expansion that stands for one.
  mutating func list(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleOperand {
    let operand = try operand(node)
    switch operand {
    case .list, .expansion: return operand
    case .literal, .converted:
      throw .malformed(node, "must be a list, or an expansion such as \"%%user.custom_data.teams\"")
    }
  }

  /// Reads the operand of `$size`: an integer, or an expansion that stands for one.
  mutating func size(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleOperand {
    let operand = try operand(node)
    switch operand {
    case .expansion: return operand
    case .literal(let value) where value.size != nil: return operand
    case .literal, .converted, .list: throw .malformed(node, "must be a non-negative whole number")
    }
  }

  /// Reads the operand of `$exists`.
  func truth(_ node: ConfigurationNode) throws(RuleSyntaxError) -> Bool {
    switch node.value {
    case .bool(let value): return value
    case .integer(let value): return value != 0
    case .string("%%true"): return true
    case .string("%%false"): return false
    default: throw .malformed(node, "must be true or false")
    }
  }

  /// Reads `{"%stringToOid": "%%user.id"}`: the operand is a literal or an expansion, without operators.
  private mutating func conversion(_ name: String, _ node: ConfigurationNode) throws(RuleSyntaxError)
    -> RuleOperand
  {
    guard let conversion = RuleConversion(rawValue: String(name.dropFirst())) else {
      throw RuleWords.refusal(of: name, node)
    }
    guard let (_, argument) = node.members().first else { throw .malformed(node, "is empty") }
    let operand = try operand(argument)
    switch operand {
    case .expansion: break
    case .literal(let value):
      guard conversion.convert(value) != nil else {
        throw .malformed(argument, "cannot be converted by \(name)")
      }
    case .list, .converted:
      throw .malformed(argument, "must be a value or an expansion; \(name) does not take another operator")
    }
    return .converted(conversion, operand)
  }
}

extension Value {
  var isList: Bool { if case .list = self { true } else { false } }

  /// The value as a number of elements; nil if it is not a non-negative integer.
  var size: Int64? {
    switch self {
    case .int(let int) where int >= 0: int
    case .double(let double) where double >= 0: Int64(exactly: double)
    default: nil
    }
  }
}

/// Values in expressions and in the data that expansions refer to.
enum RuleValues {
  private static let reader = MixedReader(schema: Schema(), classByCollection: [:])

  /// Returns the value that JSON represents, including Extended JSON; nil for an object that is neither that nor a
  /// document.
  static func value(_ json: JSON) -> Value? { reader.value(json) }
}
