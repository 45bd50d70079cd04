// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// The class of the scenarios with embedded objects.
class Contact: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var home: Address?
  @Persisted var addresses: List<Address>
  @Persisted var places: Map<String, Address?>
  @Persisted var friend: Contact?
  @Persisted(originProperty: "friend") var friendOf: LinkingObjects<Contact>
}

class Address: EmbeddedObject {
  @Persisted var street: String
  @Persisted var number: Int?
  @Persisted var country: Country?
  @Persisted var landlord: Contact?
}

class Country: EmbeddedObject {
  @Persisted var name: String
}

extension Contact: ScenarioObject {
  var identifier: ObjectId {
    get { _id }
    set { _id = newValue }
  }

  var line: String {
    let places = places.map { "\($0.key): \($0.value?.text ?? "null")" }
    return "\(_id) name=\(name) home=\(home?.text ?? "null")"
      + " addresses=[\(addresses.map(\.text).joined(separator: ", "))]"
      + " places={\(places.joined(separator: ", "))} friend=\(friend?._id.stringValue ?? "null")"
  }

  func assign(_ name: String, _ value: Any, in realm: Realm) throws {
    switch (name, value) {
    case ("name", let text as String): self.name = text
    case ("home", let values as [String: Any]): home = try Address(values, in: realm)
    case ("home", is NSNull): home = nil
    case ("friend", let id as String): friend = try realm.found(Contact.self, ObjectId(string: id))
    case ("friend", is NSNull): friend = nil
    default: throw ScenarioError("Contact.\(name) cannot be \(value)")
    }
  }

  func assign(_ name: String, _ value: Any, inside path: [Any], in realm: Realm) throws {
    let address =
      switch path.first as? String {
      case "addresses": (path[1] as? Int).map { addresses[$0] }
      case "places": (path[1] as? String).flatMap { places[$0] ?? nil }
      default: home
      }
    guard let address else { throw ScenarioError("there is no embedded object to set") }
    if path.last as? String == "country", let text = value as? String {
      address.country?.name = text
    } else {
      try address.assign(name, value, in: realm)
    }
  }

  func linking(by property: String) throws -> [ObjectId] { friendOf.map(\._id) }

  func edit(_ property: String, _ edit: CollectionEdit, in realm: Realm) throws {
    let address = try edit.values.map { try Address($0, in: realm) }
    switch property {
    case "addresses": try edit.apply(to: addresses, address)
    case "places": try edit.apply(to: places, edit.isNull ? .some(nil) : address)
    default: throw ScenarioError("Contact.\(property) is no collection")
    }
  }
}

extension Address {
  convenience init(_ values: [String: Any], in realm: Realm) throws {
    self.init()
    for (name, value) in values { try assign(name, value, in: realm) }
  }

  var text: String {
    "(street=\(street) number=\(number.map(String.init) ?? "null")"
      + " country=\(country.map { "(name=\($0.name))" } ?? "null") landlord=\(landlord?._id.stringValue ?? "null"))"
  }

  func assign(_ name: String, _ value: Any, in realm: Realm) throws {
    switch (name, value) {
    case ("street", let text as String): street = text
    case ("number", let number as Int): self.number = number
    case ("number", is NSNull): number = nil
    case ("country", let values as [String: Any]):
      let country = Country()
      country.name = values["name"] as? String ?? ""
      self.country = country
    case ("country", is NSNull): country = nil
    case ("landlord", let id as String): landlord = try realm.found(Contact.self, ObjectId(string: id))
    default: throw ScenarioError("Address.\(name) cannot be \(value)")
    }
  }
}
