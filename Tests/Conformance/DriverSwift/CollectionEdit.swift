// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// A change of a list, set or dictionary as a scenario writes it.
struct CollectionEdit {
  private let operation: String
  private let change: Step

  init(_ operation: String, _ change: Step) {
    self.operation = operation
    self.change = change
  }

  // MARK: The value

  var isNull: Bool { change.any("value") is NSNull }
  var text: String? { change.text("value") }
  var values: [String: Any]? { change.any("value") as? [String: Any] }
  var number: Int? { change.any("value") as? Int }
  var decimal: Decimal128? { text.flatMap { Decimal128($0) } }
  var date: Date? { number.map { Date(timeIntervalSince1970: TimeInterval($0)) } }

  func link<Class: ScenarioObject>(_ type: Class.Type, in realm: Realm) throws -> Class? {
    try text.map { try realm.found(type, ObjectId(string: $0)) }
  }

  /// A value of any type; nil if there is none.
  func anyValue(in realm: Realm) throws -> AnyRealmValue? {
    try change.any("value").map { try AnyRealmValue(scenario: $0, in: realm) }
  }

  // MARK: What happens

  /// Changes the collection to which the change's path leads from another one.
  func apply(inside value: AnyRealmValue, in realm: Realm) throws {
    var value = value
    for step in change.any("path") as? [Any] ?? [] {
      switch (value, step) {
      case (.list(let list), let index as Int): value = list[index]
      case (.dictionary(let map), let key as String): value = map[key] ?? AnyRealmValue.none
      default: throw ScenarioError("the path leads through \(value)")
      }
    }
    switch value {
    case .list(let list): try apply(to: list, anyValue(in: realm))
    case .dictionary(let map): try apply(to: map, anyValue(in: realm))
    default: throw ScenarioError("\(value) is no collection")
    }
  }

  func apply<Element>(to list: List<Element>, _ value: Element?) throws {
    let index = change.number("index")
    switch (operation, value) {
    case ("insert", let value?): list.insert(value, at: index)
    case ("replace", let value?): list[index] = value
    case ("erase", _): list.remove(at: index)
    case ("move", _): list.move(from: index, to: change.number("to"))
    case ("clear", _): list.removeAll()
    default: throw ScenarioError("a list cannot \(operation)")
    }
  }

  func apply<Element>(to set: MutableSet<Element>, _ value: Element?) throws {
    switch (operation, value) {
    case ("include", let value?): set.insert(value)
    case ("exclude", let value?): set.remove(value)
    case ("clear", _): set.removeAll()
    default: throw ScenarioError("a set cannot \(operation)")
    }
  }

  func apply<Value>(to map: Map<String, Value>, _ value: Value?) throws {
    switch (operation, value) {
    case ("put", let value?): map.updateValue(value, forKey: try change.required("key"))
    case ("drop", _): map.removeObject(for: try change.required("key"))
    case ("clear", _): map.removeAll()
    default: throw ScenarioError("a dictionary cannot \(operation)")
    }
  }
}
