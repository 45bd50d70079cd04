// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A condition of a role on the user or on an object, as written (app-directory, "Semantics").
package indirect enum RuleExpression: Hashable, Sendable {
  case constant(Bool)
  /// True if all parts are true; also true if there are none.
  case all([RuleExpression])
  /// True if one of the parts is true.
  case any([RuleExpression])
  case not(RuleExpression)
  case test(RuleTest)
}

/// A subject and the condition it must meet.
package struct RuleTest: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    /// A field of the object.
    case field(String)
    case expansion(RuleExpansion)
    /// The names `%%true` and `%%false`.
    case constant(Bool)
    /// One element of the enclosing subject, in `$elemMatch`.
    case element
  }

  /// A condition on a subject. `$ne`, `$nin` and `{"$exists": false}` are expressed as negations.
  package indirect enum Condition: Hashable, Sendable {
    case exists
    /// `equal` or one of the four orderings.
    case compare(Comparison.Operator, RuleOperand)
    /// `$in`.
    case oneOf(RuleOperand)
    /// `$all`.
    case allOf(RuleOperand)
    /// `$size`.
    case count(RuleOperand)
    /// `$elemMatch`: the expression is true of one and the same element.
    case element(RuleExpression)
  }

  package var subject: Subject
  package var condition: Condition
}

/// The operand with which a subject is compared.
package indirect enum RuleOperand: Hashable, Sendable {
  case literal(Value)
  case expansion(RuleExpansion)
  /// A conversion, such as `%stringToOid`.
  case converted(RuleConversion, RuleOperand)
  case list([RuleOperand])
}

/// An expansion such as `%%user.custom_data.team`: a path in the data available when a session begins.
package struct RuleExpansion: Hashable, Sendable {
  package enum Root: String, Hashable, Sendable {
    case user, values, environment
  }

  package var root: Root
  /// The names after the root.
  package var path: [String]

  /// The expansion as written.
  package var text: String { "%%" + ([root.rawValue] + path).joined(separator: ".") }

  /// Whether it refers to the custom data of users.
  package var isCustomData: Bool { root == .user && path.first == "custom_data" }
}

/// An operator that converts one type to another.
package enum RuleConversion: String, Hashable, Sendable {
  case stringToObjectId = "stringToOid"
  case objectIdToString = "oidToString"
  case stringToUUID = "stringToUuid"
  case uuidToString = "uuidToString"

  /// Returns the converted value; nil if it cannot be converted.
  func convert(_ value: Value) -> Value? {
    switch (self, value) {
    case (.stringToObjectId, .string(let text)):
      ObjectId(hex: text).map(Value.objectId) ?? ObjectId(bytes: Array(text.utf8)).map(Value.objectId)
    case (.objectIdToString, .objectId(let objectId)): .string(objectId.description)
    case (.stringToUUID, .string(let text)): UUIDValue(text).map(Value.uuid)
    case (.uuidToString, .uuid(let uuid)): .string(uuid.description)
    default: nil
    }
  }
}

extension RuleExpression {
  /// Calls `body` for every test in the expression, including those of elements.
  package func forEachTest(_ body: (RuleTest) -> Void) {
    switch self {
    case .constant: break
    case .all(let parts), .any(let parts): for part in parts { part.forEachTest(body) }
    case .not(let part): part.forEachTest(body)
    case .test(let test):
      body(test)
      if case .element(let inner) = test.condition { inner.forEachTest(body) }
    }
  }

  /// The object fields that the expression refers to.
  var fields: Set<String> {
    var names: Set<String> = []
    forEachTest { test in if case .field(let name) = test.subject { names.insert(name) } }
    return names
  }

  /// The expansions of the user, the values and the environment that the expression uses.
  package var expansions: Set<RuleExpansion> {
    var found: Set<RuleExpansion> = []
    forEachTest { test in
      if case .expansion(let expansion) = test.subject { found.insert(expansion) }
      test.condition.operand?.forEachExpansion { found.insert($0) }
    }
    return found
  }

  package var usesCustomData: Bool { expansions.contains(where: \.isCustomData) }
}

extension RuleTest.Condition {
  /// The operand of the condition; nil if it has none.
  package var operand: RuleOperand? {
    switch self {
    case .exists, .element: nil
    case .compare(_, let operand), .oneOf(let operand), .allOf(let operand), .count(let operand): operand
    }
  }
}

extension RuleOperand {
  package func forEachExpansion(_ body: (RuleExpansion) -> Void) {
    switch self {
    case .literal: break
    case .expansion(let expansion): body(expansion)
    case .converted(_, let operand): operand.forEachExpansion(body)
    case .list(let operands): for operand in operands { operand.forEachExpansion(body) }
    }
  }
}
