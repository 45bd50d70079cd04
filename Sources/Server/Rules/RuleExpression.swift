// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A condition of a role on the user, or on an object, as it is written (app-directory, "Semantics").
package indirect enum RuleExpression: Hashable, Sendable {
  case constant(Bool)
  /// True if all are; also without any.
  case all([RuleExpression])
  /// True if one is.
  case any([RuleExpression])
  case not(RuleExpression)
  case test(RuleTest)
}

/// One subject and what must be true of it.
package struct RuleTest: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    /// A field of the object.
    case field(String)
    case expansion(RuleExpansion)
    /// `%%true` and `%%false` as names.
    case constant(Bool)
    /// One element of the subject around it, in `$elemMatch`.
    case element
  }

  /// `$ne`, `$nin` and `{"$exists": false}` are the negations of these.
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
    /// `$elemMatch`: something is true of one and the same element.
    case element(RuleExpression)
  }

  package var subject: Subject
  package var condition: Condition
}

/// What a subject is compared with.
package indirect enum RuleOperand: Hashable, Sendable {
  case literal(Value)
  case expansion(RuleExpansion)
  /// `%stringToOid` and the like.
  case converted(RuleConversion, RuleOperand)
  case list([RuleOperand])
}

/// `%%user.custom_data.team` and the like: a place in what is known when a session begins.
package struct RuleExpansion: Hashable, Sendable {
  package enum Root: String, Hashable, Sendable {
    case user, values, environment
  }

  package var root: Root
  /// The names behind the root.
  package var path: [String]

  /// As it is written.
  package var text: String { "%%" + ([root.rawValue] + path).joined(separator: ".") }
}

/// Operators that turn one type into another.
package enum RuleConversion: String, Hashable, Sendable {
  case stringToObjectId = "stringToOid"
  case objectIdToString = "oidToString"
  case stringToUUID = "stringToUuid"
  case uuidToString = "uuidToString"

  /// The converted value; nil for one that cannot be converted.
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
  /// Calls `body` for every test in it, also for those of elements.
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

  /// The fields of the object that it looks at.
  var fields: Set<String> {
    var names: Set<String> = []
    forEachTest { test in if case .field(let name) = test.subject { names.insert(name) } }
    return names
  }

  /// What it takes from the user, the values and the environment.
  package var expansions: Set<RuleExpansion> {
    var found: Set<RuleExpansion> = []
    forEachTest { test in
      if case .expansion(let expansion) = test.subject { found.insert(expansion) }
      test.condition.operand?.forEachExpansion { found.insert($0) }
    }
    return found
  }
}

extension RuleTest.Condition {
  /// What the subject is compared with; nil if there is no such thing.
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
