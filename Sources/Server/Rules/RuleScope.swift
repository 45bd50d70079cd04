// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// The values of expansions when a session begins.
struct RuleScope {
  let user: JSON
  let values: JSON
  let environment: JSON

  init(user: UserContext, values: JSON, environment: JSON) {
    self.user = [
      "id": .string(user.id), "type": .string(user.type), "data": user.data, "custom_data": user.customData,
      "identities": .array(user.identities),
    ]
    self.values = values
    self.environment = environment
  }

  /// Returns the value of an expansion; null if it has none.
  func subject(_ expansion: RuleExpansion) -> Value {
    find(expansion).flatMap(RuleValues.value) ?? .null
  }

  /// Returns the value of an operand; nil if it is unknown.
  ///
  /// Data that are missing or null for a user count as unknown, so that they never grant access: an unknown value
  /// equals nothing, not even null, and differs from nothing.
  func value(_ operand: RuleOperand) -> Value? {
    switch operand {
    case .literal(let value): return value
    case .converted(let conversion, let operand): return value(operand).flatMap(conversion.convert)
    case .expansion(let expansion):
      guard let json = find(expansion), let value = RuleValues.value(json) else { return nil }
      return value == .null && expansion.root == .user ? nil : value
    case .list(let operands):
      let values = operands.compactMap(value)
      return values.count == operands.count ? .list(values) : nil
    }
  }

  /// Returns the known values of a list, and whether all of its values are known; nil if the operand is not a list.
  func list(_ operand: RuleOperand) -> (values: [Value], isComplete: Bool)? {
    if case .list(let operands) = operand {
      let values = operands.compactMap(value)
      return (values, values.count == operands.count)
    }
    guard case .list(let values)? = value(operand) else { return nil }
    guard case .expansion(let expansion) = operand, expansion.root == .user else { return (values, true) }
    let known = values.filter { $0 != .null }
    return (known, known.count == values.count)
  }

  /// Returns an outcome that depends on an expression, adjusted so that it is not false merely because something is
  /// unknown.
  func known(_ expression: RuleExpression, _ outcome: RuleOutcome) -> RuleOutcome {
    var isKnown = true
    expression.forEachTest { test in
      switch test.condition {
      case .exists, .element: break
      case .compare(_, let operand), .count(let operand): isKnown = isKnown && value(operand) != nil
      case .oneOf(let operand), .allOf(let operand):
        isKnown = isKnown && list(operand)?.isComplete == true
      }
    }
    return isKnown ? outcome : RuleOutcome(holds: outcome.holds, fails: .never)
  }

  private func find(_ expansion: RuleExpansion) -> JSON? {
    let root =
      switch expansion.root {
      case .user: user
      case .values: values
      case .environment: environment
      }
    return RuleScope.find(expansion.path[...], in: root)
  }

  /// Returns the value at a path. As in MongoDB, a name applies to all elements of a list, and a number selects one
  /// element.
  private static func find(_ path: ArraySlice<String>, in json: JSON) -> JSON? {
    guard let name = path.first else { return json }
    switch json {
    case .object: return json[name].flatMap { find(path.dropFirst(), in: $0) }
    case .array(let elements):
      if let index = Int(name) {
        return elements.indices.contains(index) ? find(path.dropFirst(), in: elements[index]) : nil
      }
      let found = elements.compactMap { find(path, in: $0) }
      return found.isEmpty ? nil : .array(found)
    default: return nil
    }
  }
}
