// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The items that a client subscribes to: a query, and the same condition repeated in Swift, so that the server's
/// selection is checked by something other than the query engine.
struct ItemView: Hashable {
  /// The fields that the condition depends on.
  struct Fields: Hashable {
    var owner: String?
    var level: Int64 = 0
    var isDone = false

    /// Sets the field of that name, if visibility depends on it.
    mutating func set(_ field: String, _ value: Value) {
      switch (field, value) {
      case ("owner", .string(let owner)): self.owner = owner
      case ("owner", _): owner = nil
      case ("level", .int(let level)): self.level = level
      case ("done", .bool(let isDone)): self.isDone = isDone
      default: break
      }
    }
  }

  /// The query; nil if no items are requested.
  let query: String?
  private let number: Int

  private static let forms: [(query: String?, matches: @Sendable (Fields) -> Bool)] = [
    ("TRUEPREDICATE", { _ in true }),
    (nil, { _ in false }),
    (#"owner == "ada""#, { $0.owner == "ada" }),
    (#"owner == "bob""#, { $0.owner == "bob" }),
    ("owner == nil OR level > 5", { $0.owner == nil || $0.level > 5 }),
    ("level >= 3 AND done == false", { $0.level >= 3 && !$0.isDone }),
    (#"owner IN {"ada", "eve"} AND level < 8"#, { ["ada", "eve"].contains($0.owner) && $0.level < 8 }),
    (#"owner BEGINSWITH "b" OR done == true"#, { $0.owner?.hasPrefix("b") == true || $0.isDone }),
    ("level BETWEEN {2, 6}", { (2...6).contains($0.level) }),
  ]

  static let count = forms.count
  static let owners: [String?] = ["ada", "bob", "eve", nil]

  init(_ number: Int) {
    self.number = number
    query = Self.forms[number].query
  }

  func matches(_ fields: Fields) -> Bool { Self.forms[number].matches(fields) }

  static func == (left: ItemView, right: ItemView) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
