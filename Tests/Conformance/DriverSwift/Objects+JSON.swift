// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// Objects as JSON, with everything that is in them. See "objects" in ../README.md.
protocol JSONRepresentable {
  /// What `JSONSerialization` can write.
  var json: Any { get }
}

extension Task: JSONRepresentable {
  var json: Any {
    [
      "_id": _id.json, "taskName": taskName, "assignee": assignee.json, "completed": completed,
      "progressMinutes": progressMinutes, "dueDate": dueDate.json,
    ]
  }
}

extension Team: JSONRepresentable {
  var json: Any {
    ["_id": _id.json, "teamName": teamName, "tasks": tasks.map(\._id.json), "members": Array(members)]
  }
}

extension Item: JSONRepresentable {
  var json: Any {
    [
      "_id": _id.json, "name": name, "labels": Array(labels), "numbers": numbers.map(\.json),
      "related": related.map(\._id.json), "counts": entries(counts) { $0 }, "notes": entries(notes, \.json),
      "dates": entries(dates, \.json), "partners": entries(partners) { ($0?._id).json },
    ]
  }
}

extension Contact: JSONRepresentable {
  var json: Any {
    [
      "_id": _id.json, "name": name, "home": home.json, "addresses": addresses.map(\.json),
      "places": entries(places, \.json), "friend": (friend?._id).json,
    ]
  }
}

extension Address: JSONRepresentable {
  var json: Any {
    ["street": street, "number": number.json, "country": country.json, "landlord": (landlord?._id).json]
  }
}

extension Country: JSONRepresentable {
  var json: Any { ["name": name] }
}

extension Note: JSONRepresentable {
  var json: Any {
    [
      "_id": _id.json, "name": name, "price": price.json, "discount": discount.json,
      "prices": prices.map(\.json), "any": any.json, "anything": anything.map(\.json),
      "byName": entries(byName, \.json),
    ]
  }
}

// MARK: Values

extension ObjectId: JSONRepresentable {
  var json: Any { stringValue }
}

extension Date: JSONRepresentable {
  var json: Any { Int((timeIntervalSince1970 * 1000).rounded()) }
}

extension Decimal128: JSONRepresentable {
  var json: Any { ["$numberDecimal": stringValue] }
}

extension String: JSONRepresentable {
  var json: Any { self }
}

extension Int: JSONRepresentable {
  var json: Any { self }
}

extension Optional: JSONRepresentable where Wrapped: JSONRepresentable {
  var json: Any { self?.json ?? NSNull() }
}

extension AnyRealmValue: JSONRepresentable {
  var json: Any {
    switch self {
    case .none: NSNull()
    case .int(let value): value
    case .bool(let value): value
    case .double(let value): value
    case .string(let value): value
    case .date(let value): value.json
    case .object(let value): (value as? any ScenarioObject)?.identifier.json ?? NSNull()
    case .objectId(let value): value.json
    case .decimal128(let value): value.json
    case .list(let list): list.map(\.json)
    case .dictionary(let map): entries(map, \.json)
    case .float, .data, .uuid: text
    }
  }
}

private func entries<Value>(_ map: Map<String, Value>, _ json: (Value) -> Any) -> [String: Any] {
  Dictionary(map.map { ($0.key, json($0.value)) }, uniquingKeysWith: { $1 })
}
