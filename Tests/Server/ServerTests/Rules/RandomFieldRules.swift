// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncTestSupport

/// Random permissions of fields, also inside of embedded objects, as they are written in `rules.json`.
struct RandomFieldRules {
  var random: SeededGenerator

  /// The fields of a class; those of embedded objects with the class that they hold.
  static let fields: [String: [(name: String, target: String?)]] = [
    "Contact": [
      ("name", nil), ("count", nil), ("notes", nil), ("home", "Address"), ("others", "Address"),
      ("places", "Address"),
    ],
    "Address": [("street", nil), ("code", nil), ("country", "Country")],
    "Country": [("name", nil), ("tax", nil)],
  ]

  static let schema: String = {
    let country =
      #"{"bsonType":"object","title":"Country","properties":{"name":{"bsonType":"string"},"tax":{"bsonType":"string"}}}"#
    let address = """
      {"bsonType":"object","title":"Address","properties":{"street":{"bsonType":"string"},"code":{"bsonType":"string"},
       "country":\(country)}}
      """
    return """
      {"title":"Contact","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
       "name":{"bsonType":"string"},"count":{"bsonType":"string"},
       "notes":{"bsonType":"array","items":{"bsonType":"string"}},"home":\(address),
       "others":{"bsonType":"array","items":\(address)},
       "places":{"bsonType":"object","additionalProperties":\(address)}}}
      """
  }()

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  /// A role that may do everything with the name, and something with the other fields.
  mutating func role() -> JSON {
    guard case .object(var members) = rules(of: "Contact") else { return .null }
    members += [
      JSON.Member("name", "member"), JSON.Member("apply_when", .object([])),
      JSON.Member("document_filters", ["read": true, "write": true]),
    ]
    return .object(members)
  }

  /// `fields` and `additional_fields`.
  private mutating func rules(of className: String) -> JSON {
    var fields: [JSON.Member] = []
    for (name, target) in Self.fields[className] ?? [] {
      if className == "Contact", name == "name" {
        fields.append(JSON.Member(name, ["read": true, "write": true]))
      } else if let target, chance(70) {
        fields.append(JSON.Member(name, rules(of: target)))
      } else if chance(75) {
        fields.append(JSON.Member(name, permission()))
      }
    }
    var members = [JSON.Member("fields", .object(fields))]
    if chance(50) { members.append(JSON.Member("additional_fields", permission())) }
    return .object(members)
  }

  private mutating func permission() -> JSON {
    let permissions: [JSON] = [
      ["read": true, "write": true], ["read": true, "write": true], ["write": true], ["read": true],
      ["read": true, "write": false], ["read": false, "write": true], ["read": false], .object([]),
    ]
    return pick(permissions)
  }
}

/// Says what a role allows straight from its JSON, without anything of the server.
struct FieldOracle {
  let role: JSON

  /// Names from the outside inwards. A place of embedded objects may be read if something in them may be.
  func mayRead(_ names: [String]) -> Bool {
    // What may be written may be read, unless the field says that it may not.
    inside(role, ["read"], names[...]) || inside(role, ["read", "write"], names[...])
  }

  func mayWrite(_ names: [String]) -> Bool { inside(role, ["write"], names[...]) }

  /// Whether the names, or one on the way to them, may not be read.
  func hides(_ names: [String]) -> Bool {
    (1...names.count).contains { !mayRead(Array(names.prefix($0))) }
  }

  private func inside(_ owner: JSON, _ operations: [String], _ names: ArraySlice<String>) -> Bool {
    let others = literal(owner["additional_fields"], operations) ?? false
    let fields = owner["fields"]?.objectValue ?? []
    guard let name = names.first else {
      return others || fields.contains { allows($0.value, operations, []) }
    }
    guard let field = fields.first(where: { $0.name == name }) else { return others }
    return allows(field.value, operations, names.dropFirst())
  }

  private func allows(_ field: JSON, _ operations: [String], _ names: ArraySlice<String>) -> Bool {
    if let own = literal(field, operations) { return own }
    return field["fields"] != nil && inside(field, operations, names)
  }

  /// The first of some operations of which something is said.
  private func literal(_ rule: JSON?, _ operations: [String]) -> Bool? {
    operations.lazy.compactMap { rule?[$0]?.boolValue }.first
  }
}

extension PropertyPath {
  /// The names of the properties on the way, without indexes and the keys of dictionaries.
  var propertyNames: [String] {
    var steps = path[...]
    if field == "places" { steps = steps.dropFirst() }
    return [field] + steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
  }
}
