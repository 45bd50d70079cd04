// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// Checks, without knowing the user, whether a rule's conditions on one property can be evaluated and can ever be
/// true.
struct ConditionCheck {
  let property: PropertySchema
  let className: String
  /// The key that documents store in place of the link, if the property is a link.
  let foreignKey: ForeignKey?

  private var name: String { "\"\(property.name)\" of class \"\(className)\"" }

  // MARK: Conditions that cannot be evaluated

  /// Returns the reason why the server cannot evaluate a condition the way MongoDB does; nil if it can.
  func obstacle(_ condition: RuleTest.Condition) -> String? {
    switch condition {
    case .exists: nil
    case .compare(let symbol, let operand) where symbol != .equal: orderObstacle(operand)
    case .compare(_, let operand): listObstacle(operand)
    case .oneOf(.list(let operands)), .allOf(.list(let operands)):
      operands.lazy.compactMap(listObstacle).first
    case .oneOf, .allOf: nil
    case .count: property.isAnything ? "\(name) can be of any type; $size needs an array" : nil
    case .element(let inner): elementObstacle(inner)
    }
  }

  private func orderObstacle(_ operand: RuleOperand) -> String? {
    guard foreignKey != nil, operand != .literal(.null) else { return nil }
    return
      "\(name) holds links, which have no order; compare them with $eq, $ne, $in or $nin"
  }

  private func listObstacle(_ operand: RuleOperand) -> String? {
    guard case .list(let operands) = operand else { return nil }
    if property.type == .mixed {
      return
        "\(name) can hold values of any type, which the server cannot compare with a list; use $in or $all"
    }
    guard property.collection == .set, operands.count > 1 else { return nil }
    return
      "\(name) is a set, whose elements have no order to compare with a list; use $all together with $size"
  }

  private func elementObstacle(_ inner: RuleExpression) -> String? {
    if property.isAnything { return "\(name) can be of any type; $elemMatch needs an array" }
    if case .test(let test) = inner { return obstacle(test.condition) }
    if property.type == .mixed {
      return
        "the elements of \(name) can be of any type; $elemMatch on them can have only one condition, and not "
        + "$ne or $nin"
    }
    guard inner.hasOrder else { return nil }
    return
      "$elemMatch on \(name) can have $gt, $gte, $lt or $lte only as its sole condition, not inside $not"
  }

  // MARK: Conditions that are never true

  /// Returns the reason why a condition can never be true; nil if it can be.
  func mismatch(_ condition: RuleTest.Condition) -> String? {
    if case .element(let inner) = condition {
      var found: String?
      inner.forEachTest { found = found ?? mismatch($0.condition) }
      if let found { return found }
    }
    switch condition {
    case .element, .count:
      return property.collection == .single && property.type != .mixed
        ? "\(name) is not an array, so $size and $elemMatch are never true for it" : nil
    case .exists: return nil
    case .compare(_, let operand), .oneOf(let operand), .allOf(let operand):
      guard case .list(let operands) = operand else { return mismatch(operand) }
      return operands.lazy.compactMap(mismatch).first
    }
  }

  private func mismatch(_ operand: RuleOperand) -> String? {
    let type = foreignKey?.primaryKey.type ?? property.type
    guard type != .mixed, let value = ConditionCheck.typicalValue(operand), value != .null,
      !value.isCollection, value.matchable(as: type) == nil
    else { return nil }
    let advice =
      switch type {
      case .objectId: "; convert it: {\"%stringToOid\": …}"
      case .uuid: "; convert it: {\"%stringToUuid\": …}"
      default: ""
      }
    let otherType = value.type.map(\.description) ?? "null"
    return "\(name) is of type \(type) and never equals a value of type \(otherType)"
      + (value.type == .string ? advice : "")
  }

  private static func typicalValue(_ operand: RuleOperand) -> Value? {
    switch operand {
    case .literal(let value): value
    case .expansion(let expansion):
      expansion.root == .user && ["id", "type"].contains(expansion.path.first) ? .string("") : nil
    case .converted(let conversion, _):
      switch conversion {
      case .stringToObjectId: .objectId(ObjectId(high: 0, low: 0))
      case .stringToUUID: .uuid(UUIDValue(high: 0, low: 0))
      case .objectIdToString, .uuidToString: .string("")
      }
    case .list: nil
    }
  }
}

extension PropertySchema {
  /// Whether the property may hold an array as well as any other value.
  fileprivate var isAnything: Bool { type == .mixed && collection == .single }
}
