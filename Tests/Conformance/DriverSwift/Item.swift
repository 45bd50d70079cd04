// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// The class of the scenarios with properties of more types than those of the example app.
class Item: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var labels: MutableSet<String>
  @Persisted var numbers: MutableSet<Int?>
  @Persisted var related: MutableSet<Item>
  @Persisted var counts: Map<String, Int>
  @Persisted var notes: Map<String, String?>
  @Persisted var dates: Map<String, Date>
  @Persisted var partners: Map<String, Item?>
}

extension Item: ScenarioObject {
  var identifier: ObjectId {
    get { _id }
    set { _id = newValue }
  }

  var line: String {
    "\(_id) name=\(name) labels=[\(labels.joined(separator: ", "))]"
      + " numbers=[\(numbers.map { $0.map(String.init) ?? "null" }.joined(separator: ", "))]"
      + " related=[\(related.map(\._id.stringValue).joined(separator: ", "))]"
      + " counts=\(describe(counts) { String($0) }) notes=\(describe(notes) { $0 ?? "null" })"
      + " dates=\(describe(dates) { String(Int($0.timeIntervalSince1970)) })"
      + " partners=\(describe(partners) { $0?._id.stringValue ?? "null" })"
  }

  private func describe<Value>(_ map: Map<String, Value>, _ text: (Value) -> String) -> String {
    "{\(map.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
  }

  func assign(_ name: String, _ value: Any, in realm: Realm) throws {
    guard name == "name", let text = value as? String else {
      throw ScenarioError("Item.\(name) cannot be \(value)")
    }
    self.name = text
  }

  func edit(_ property: String, _ edit: CollectionEdit, in realm: Realm) throws {
    switch property {
    case "labels": try edit.apply(to: labels, edit.text)
    case "numbers": try edit.apply(to: numbers, edit.isNull ? .some(nil) : edit.number)
    case "related": try edit.apply(to: related, edit.link(Item.self, in: realm))
    case "counts": try edit.apply(to: counts, edit.number)
    case "notes": try edit.apply(to: notes, edit.isNull ? .some(nil) : edit.text)
    case "dates": try edit.apply(to: dates, edit.date)
    case "partners":
      try edit.apply(to: partners, edit.isNull ? .some(nil) : edit.link(Item.self, in: realm))
    default: throw ScenarioError("Item.\(property) is no collection")
    }
  }
}
