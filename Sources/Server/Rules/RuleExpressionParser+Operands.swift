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
    case .array:
      var operands: [RuleOperand] = []
      for element in node.elements() ?? [] { operands.append(try operand(element)) }
      return .list(operands)
    case .object(let members):
      if let member = members.first, members.count == 1, member.name.hasPrefix("%") {
        return try conversion(member.name, node)
      }
      guard let value = RuleValues.value(node.value), !value.isCollection else {
        throw .notSyncCompatible(node, "compares with a whole document; only top-level fields are queryable")
      }
      return .literal(value)
    default:
      guard let value = RuleValues.value(node.value) else { throw .malformed(node, "is no value") }
      return .literal(value)
    }
  }

  /// For orderings.
  mutating func single(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleOperand {
    let operand = try operand(node)
    if case .list = operand { throw .malformed(node, "must be one value, not a list") }
    return operand
  }

  /// For `$in` and the like: a list, or an expansion that stands for one.
  mutating func list(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleOperand {
    let operand = try operand(node)
    switch operand {
    case .list, .expansion: return operand
    case .literal, .converted:
      throw .malformed(node, "must be a list, or an expansion such as \"%%user.custom_data.teams\"")
    }
  }

  /// For `$size`: a whole number, or an expansion that stands for one.
  mutating func size(_ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleOperand {
    let operand = try operand(node)
    switch operand {
    case .expansion: return operand
    case .literal(let value) where value.size != nil: return operand
    case .literal, .converted, .list: throw .malformed(node, "must be a whole number that is not negative")
    }
  }

  /// For `$exists`.
  func truth(_ node: ConfigurationNode) throws(RuleSyntaxError) -> Bool {
    switch node.value {
    case .bool(let value): return value
    case .integer(let value): return value != 0
    case .string("%%true"): return true
    case .string("%%false"): return false
    default: throw .malformed(node, "must be true or false")
    }
  }

  /// `{"%stringToOid": "%%user.id"}`: a literal or an expansion, without operators in it.
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
      throw .malformed(argument, "must be a value or an expansion; \(name) takes no other operator")
    }
    return .converted(conversion, operand)
  }
}

extension Value {
  var isList: Bool { if case .list = self { true } else { false } }

  /// The number of elements that it stands for; nil if it is none.
  var size: Int64? {
    switch self {
    case .int(let int) where int >= 0: int
    case .double(let double) where double >= 0: Int64(exactly: double)
    default: nil
    }
  }
}

/// Values in expressions and in what they refer to.
enum RuleValues {
  private static let reader = MixedReader(schema: Schema(), classByCollection: [:])

  /// What a JSON value stands for, Extended JSON included; nil for an object that is neither that nor a document.
  static func value(_ json: JSON) -> Value? { reader.value(json) }
}
