// SPDX-License-Identifier: Apache-2.0

import FlexSync

class Contact: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var home: Address?
  @Persisted var addresses: List<Address>
  @Persisted var friend: Contact?
  @Persisted var friends: List<Contact>
  @Persisted(originProperty: "friend") var friendOf: LinkingObjects<Contact>
  @Persisted(originProperty: "friends") var inFriendsOf: LinkingObjects<Contact>
  @Persisted(originProperty: "landlord") var houses: LinkingObjects<Address>

  convenience init(_ id: Int, name: String = "") {
    self.init()
    _id = id
    self.name = name
  }
}

class Address: EmbeddedObject {
  @Persisted var street: String
  @Persisted var number: Int?
  @Persisted var country: Country?
  @Persisted var landlord: Contact?
  @Persisted var tags: List<String>
  @Persisted(originProperty: "home") var residents: LinkingObjects<Contact>
  @Persisted(originProperty: "addresses") var owners: LinkingObjects<Contact>

  convenience init(_ street: String, country: String? = nil) {
    self.init()
    self.street = street
    self.country = country.map { Country($0) }
  }
}

class Country: EmbeddedObject {
  @Persisted var name: String
  @Persisted(originProperty: "country") var addresses: LinkingObjects<Address>

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}
