// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

/// Changes of lists, sets and dictionaries of any element.
enum CollectionEdits {
  private static let longestList = 8

  /// - Parameter canMove: false for lists of embedded objects or nested collections: a move there, concurrent with a change
  ///   inside an element, is where the reference itself diverges (protocol §7.3).
  static func list(
    _ property: String,
    _ object: JSON,
    canMove: Bool = true,
    _ generator: inout SeededGenerator,
    value: (inout SeededGenerator) throws -> JSON?
  ) rethrows -> JSON? {
    let count = object[property]?.arrayValue?.count ?? 0
    let name = JSON.string(property)
    let operation = generator.pick(weighted: [
      (count < longestList ? 10 : 0, "insert"), (count > 0 ? 4 : 0, "replace"), (count > 0 ? 4 : 0, "erase"),
      (count > 1 && canMove ? 5 : 0, "move"), (count > 0 ? 1 : 0, "clear"),
    ])
    if operation == "insert" {
      guard let value = try value(&generator) else { return nil }
      return ["insert": name, "index": .integer(Int64(generator.number(below: count + 1))), "value": value]
    }
    let index = JSON.integer(Int64(generator.number(below: count)))
    switch operation {
    case "replace": return try value(&generator).map { ["replace": name, "index": index, "value": $0] }
    case "erase": return ["erase": name, "index": index]
    case "move":
      let to = (Int(index.integerValue ?? 0) + 1 + generator.number(below: count - 1)) % count
      return ["move": name, "index": index, "to": .integer(Int64(to))]
    default: return ["clear": name]
    }
  }

  static func set(_ property: String, _ generator: inout SeededGenerator, value: JSON?) -> JSON? {
    guard let value else { return nil }
    let name = JSON.string(property)
    switch generator.number(below: 20) {
    case 0: return ["clear": name]
    case 1..<8: return ["exclude": name, "value": value]
    default: return ["include": name, "value": value]
    }
  }

  static func dictionary(_ property: String, _ generator: inout SeededGenerator, value: JSON?) -> JSON? {
    guard let value else { return nil }
    let name = JSON.string(property)
    let key = JSON.string(generator.pick(["one", "two", "three", "four"]))
    switch generator.number(below: 20) {
    case 0: return ["clear": name]
    case 1..<6: return ["drop": name, "key": key]
    default: return ["put": name, "key": key, "value": value]
    }
  }
}

extension SeededGenerator {
  mutating func word() -> JSON {
    .string("\(pick(["red", "green", "blue", "größer", "日本"])) \(number(below: 1000))")
  }

  mutating func integer() -> JSON { .integer(Int64(number(below: 100))) }

  mutating func decimal() -> JSON { .string("\(1 + number(below: 99)).\(1 + number(below: 9))") }

  /// Some of the members, at least one.
  mutating func some(of values: JSON) -> JSON {
    let members = values.objectValue ?? []
    let chosen = members.filter { _ in chance(35) }
    return .object(chosen.isEmpty ? [pick(members)] : chosen)
  }
}
