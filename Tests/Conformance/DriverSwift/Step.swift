// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An object of a scenario: a step, a change, a query.
struct Step {
  private let members: [String: Any]

  init(_ members: [String: Any]) { self.members = members }

  func text(_ name: String) -> String? { members[name] as? String }

  func required(_ name: String) throws -> String {
    guard let value = text(name) else { throw ScenarioError("a step lacks '\(name)'") }
    return value
  }

  func flag(_ name: String) -> Bool? { members[name] as? Bool }
  func number(_ name: String) -> Int { members[name] as? Int ?? 0 }
  func step(_ name: String) -> Step? { (members[name] as? [String: Any]).map(Step.init) }
  func steps(_ name: String) -> [Step] { (members[name] as? [[String: Any]] ?? []).map(Step.init) }
  func values(_ name: String) -> [String: Any] { members[name] as? [String: Any] ?? [:] }
  func any(_ name: String) -> Any? { members[name] }

  /// The class that the step is about.
  var type: any ScenarioObject.Type {
    get throws { try scenarioClass(required("class")) }
  }

  /// The query of the step; all objects if it has none.
  var query: String { text("query") ?? "TRUEPREDICATE" }
}
