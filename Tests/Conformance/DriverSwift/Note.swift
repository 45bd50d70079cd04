// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// The class of the scenarios with decimals and with what can hold anything.
class Note: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var price: Decimal128
  @Persisted var discount: Decimal128?
  @Persisted var prices: List<Decimal128>
  @Persisted var any: AnyRealmValue
  @Persisted var anything: List<AnyRealmValue>
  @Persisted var byName: Map<String, AnyRealmValue>
}

extension Note: ScenarioObject {
  var identifier: ObjectId {
    get { _id }
    set { _id = newValue }
  }

  var line: String {
    "\(_id) name=\(name) price=\(price.stringValue) discount=\(discount?.stringValue ?? "null")"
      + " prices=[\(prices.map(\.stringValue).joined(separator: ", "))] any=\(any.text)"
      + " anything=\(AnyRealmValue.list(anything).text) byName=\(AnyRealmValue.dictionary(byName).text)"
  }

  func assign(_ name: String, _ value: Any, in realm: Realm) throws {
    switch (name, value) {
    case ("name", let text as String): self.name = text
    case ("price", let text as String): price = try Decimal128(string: text)
    case ("discount", let text as String): discount = try Decimal128(string: text)
    case ("discount", is NSNull): discount = nil
    case ("any", _): any = try AnyRealmValue(scenario: value, in: realm)
    default: throw ScenarioError("Note.\(name) cannot be \(value)")
    }
  }

  func edit(_ property: String, _ edit: CollectionEdit, in realm: Realm) throws {
    switch property {
    case "prices": try edit.apply(to: prices, edit.decimal)
    case "any": try edit.apply(inside: any, in: realm)
    case "anything": try edit.apply(inside: .list(anything), in: realm)
    case "byName": try edit.apply(inside: .dictionary(byName), in: realm)
    default: throw ScenarioError("Note.\(property) is no collection")
    }
  }
}

extension AnyRealmValue {
  /// The value that a scenario writes as JSON.
  init(scenario json: Any, in realm: Realm) throws {
    switch json {
    case is NSNull: self = .none
    case let text as String: self = .string(text)
    case let number as NSNumber: self = AnyRealmValue(number)
    case let elements as [Any]:
      self = .fromArray(try elements.map { try AnyRealmValue(scenario: $0, in: realm) })
    case let members as [String: Any]:
      if let text = members["$numberDecimal"] as? String {
        self = .decimal128(try Decimal128(string: text))
      } else if let text = members["$oid"] as? String {
        self = .objectId(try ObjectId(string: text))
      } else if let seconds = members["$date"] as? Int {
        self = .date(Date(timeIntervalSince1970: TimeInterval(seconds)))
      } else if let target = members["$ref"] as? String, let identifier = members["$id"] as? String {
        let type: any ScenarioObject.Type = try scenarioClass(target)
        self = .object(try realm.found(type, ObjectId(string: identifier)) as any ScenarioObject)
      } else {
        self = .fromDictionary(try members.mapValues { try AnyRealmValue(scenario: $0, in: realm) })
      }
    default: throw ScenarioError("\(json) cannot be a mixed")
    }
  }

  private init(_ number: NSNumber) {
    self =
      switch String(cString: number.objCType) {
      case "c", "B": .bool(number.boolValue)
      case "d", "f": .double(number.doubleValue)
      default: .int(number.intValue)
      }
  }

  var text: String {
    switch self {
    case .none: "null"
    case .int(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .data(let value): "\(value)"
    case .date(let value): "\(Int(value.timeIntervalSince1970))"
    case .object(let value): (value as? any ScenarioObject)?.identifier.stringValue ?? "?"
    case .objectId(let value): "\(value)"
    case .decimal128(let value): value.stringValue
    case .uuid(let value): "\(value)"
    case .list(let list): "[\(list.map(\.text).joined(separator: ", "))]"
    case .dictionary(let map): "{\(map.map { "\($0.key): \($0.value.text)" }.joined(separator: ", "))}"
    }
  }
}
