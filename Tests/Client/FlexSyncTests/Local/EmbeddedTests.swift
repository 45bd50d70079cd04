// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

/// Objects that live inside others.
@Suite struct EmbeddedTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  @Test func addingAnObjectAddsWhatItEmbeds() throws {
    let ada = Contact(1, name: "Ada")
    let home = Address("Elm", country: "Peru")
    home.tags.append("quiet")
    ada.home = home
    ada.addresses.append(objectsIn: [Address("Oak"), Address("Ash")])
    try realm.write { realm.add(ada) }
    #expect(home.realm == realm && ada.home == home)
    #expect(ada.home?.country?.name == "Peru")
    #expect(Array(home.tags) == ["quiet"])
    #expect(ada.addresses.map(\.street) == ["Oak", "Ash"])
  }

  @Test func assigningReplacesAndNilDeletes() throws {
    let ada = Contact(1)
    try realm.write { realm.add(ada) }
    let first = Address("Elm")
    try realm.write { ada.home = first }
    #expect(first.realm == realm && first.street == "Elm")
    try realm.write { first.street = "Oak" }
    #expect(ada.home?.street == "Oak")
    try realm.write { ada.home = ada.home }
    #expect(!first.isInvalidated)
    try realm.write { ada.home = Address("Ash") }
    #expect(first.isInvalidated && ada.home?.street == "Ash")
    let second = try #require(ada.home)
    try realm.write { ada.home = nil }
    #expect(second.isInvalidated && ada.home == nil)
  }

  @Test func listsHoldEmbeddedObjects() throws {
    let ada = Contact(1)
    try realm.write {
      realm.add(ada)
      ada.addresses.append(objectsIn: ["a", "b", "c"].map { Address($0) })
      ada.addresses.insert(Address("d"), at: 0)
      ada.addresses[1] = Address("e")
      ada.addresses.move(from: 0, to: 2)
    }
    #expect(ada.addresses.map(\.street) == ["e", "b", "d", "c"])
    let last = try #require(ada.addresses.last)
    try realm.write {
      realm.delete(ada.addresses[0])
      ada.addresses.remove(at: 0)
    }
    #expect(ada.addresses.map(\.street) == ["d", "c"])
    try realm.write { ada.addresses.removeAll() }
    #expect(last.isInvalidated)
  }

  @Test func valuesBecomeEmbeddedObjects() throws {
    let ada = try realm.write {
      realm.create(
        Contact.self,
        value: [
          "_id": 1, "home": ["street": "Elm", "country": ["name": "Peru"]],
          "addresses": [["street": "Oak"], Address("Ash")],
        ]
      )
    }
    #expect(ada.home?.country?.name == "Peru")
    #expect(ada.addresses.map(\.street) == ["Oak", "Ash"])
    try realm.write {
      realm.create(Contact.self, value: ["_id": 1, "home": ["street": "Ash"]], update: .modified)
    }
    #expect(ada.home?.street == "Ash" && ada.home?.country?.name == "Peru")
    #expect(Contact(value: ["_id": 2, "home": ["street": "Elm"]]).home?.street == "Elm")
  }

  @Test func updatingChangesTheEmbeddedObjectsThatAreThere() throws {
    let ada = Contact(1)
    ada.home = Address("Elm", country: "Peru")
    ada.addresses.append(objectsIn: [Address("Oak"), Address("Ash"), Address("Fir")])
    try realm.write { realm.add(ada) }
    let there = [ada.home, ada.addresses[0], ada.addresses[1]]
    let removed = ada.addresses[2]
    let update = Contact(1)
    update.home = Address("Yew", country: "Chile")
    update.addresses.append(objectsIn: [Address("Oak"), Address("Box")])
    try realm.write { realm.add(update, update: .modified) }
    #expect(there.map { $0?.street } == ["Yew", "Oak", "Box"] && removed.isInvalidated)
    #expect(ada.home == there[0] && ada.home?.country?.name == "Chile" && update.home == there[0])
    try realm.write {
      realm.create(
        Contact.self,
        value: ["_id": 1, "addresses": [["number": 5], ["street": "Fir"], ["street": "Ivy"]]],
        update: .modified
      )
    }
    #expect(ada.addresses.map(\.street) == ["Oak", "Fir", "Ivy"] && there[1]?.number == 5)
    try realm.write { realm.add(Contact(1), update: .all) }
    #expect(there.allSatisfy { $0?.isInvalidated == true })
  }

  @Test func anEmbeddedObjectKnowsWhatHoldsIt() throws {
    let ada = Contact(1)
    ada.home = Address("Elm", country: "Peru")
    ada.addresses.append(Address("Oak"))
    try realm.write { realm.add([ada, Contact(2)]) }
    let home = try #require(ada.home)
    #expect(Array(home.residents) == [ada] && Array(ada.addresses[0].owners) == [ada])
    #expect(home.owners.isEmpty && home.country?.addresses.first == home)
    #expect(Address("Ash").residents.isEmpty)
    #expect(home.residents.where { $0._id == 2 }.isEmpty)
  }

  @Test func objectsAreCopiedWithWhatTheyEmbed() throws {
    let ada = Contact(1, name: "Ada")
    ada.home = Address("Elm", country: "Peru")
    ada.addresses.append(Address("Oak"))
    try realm.write { realm.add(ada) }
    let other = try LocalFile().open()
    let copy = try other.write { other.create(Contact.self, value: ada) }
    #expect(copy.home?.country?.name == "Peru" && copy.addresses.first?.street == "Oak")
    #expect(copy.home != ada.home && ada.home?.street == "Elm")
  }

  @Test func embeddedObjectsAreQueriedAndObserved() throws {
    let ada = Contact(1)
    ada.home = Address("Elm", country: "Peru")
    ada.addresses.append(Address("Oak"))
    try realm.write { realm.add([ada, Contact(2)]) }
    #expect(realm.objects(Contact.self).where { $0.home.street == "Elm" }.count == 1)
    #expect(realm.objects(Contact.self).where { $0.home.country.name == "Chile" }.count == 0)
    #expect(realm.objects(Contact.self).where { $0.addresses.street == "Oak" }.first == ada)
    #expect(realm.objects(Contact.self).filter("home == nil").first?._id == 2)
    var changed: [[String]] = []
    let token = ada.observe { change in
      if case .change(_, let properties) = change { changed.append(properties.map(\.name)) }
    }
    var streets: [Any?] = []
    let inner = ada.home?.observe { change in
      if case .change(_, let properties) = change { streets += properties.map(\.newValue) }
    }
    try realm.write { ada.home?.street = "Ash" }
    #expect(changed == [["home"]])
    #expect(streets.map { $0 as? String } == ["Ash"])
    token.invalidate()
    inner?.invalidate()
  }

  @Test func everythingIsDeletedWithTheRealmsObjects() throws {
    let ada = Contact(1)
    let home = Address("Elm")
    ada.home = home
    try realm.write { realm.add(ada) }
    #expect(!realm.isEmpty)
    try realm.write { realm.deleteAll() }
    #expect(realm.isEmpty && home.isInvalidated)
  }
}

/// The objects that link to one.
@Suite struct LinkingObjectsTests {
  @Test func linkingObjectsAreLive() throws {
    let realm = try LocalFile().open()
    let ada = Contact(1, name: "Ada")
    #expect(ada.friendOf.isEmpty)
    try realm.write { realm.add(ada) }
    #expect(ada.friendOf.isEmpty)
    let (bob, cid) = (Contact(2, name: "Bob"), Contact(3, name: "Cid"))
    bob.home = Address("Elm")
    try realm.write {
      realm.add([bob, cid])
      cid.friend = ada
      bob.friend = ada
      bob.home?.landlord = ada
      cid.friends.append(objectsIn: [ada, bob, ada])
    }
    let friends = ada.friendOf
    #expect(friends.map(\.name) == ["Bob", "Cid"])
    #expect(friends.where { $0.name == "Cid" }.count == 1)
    #expect(friends.sorted(byKeyPath: "name", ascending: false).first == cid)
    #expect(friends.index(of: cid) == 1)
    #expect(ada.inFriendsOf.map(\.name) == ["Cid", "Cid"])
    #expect(ada.houses.map(\.street) == ["Elm"])
    try realm.write { realm.delete(bob) }
    #expect(friends.map(\.name) == ["Cid"] && ada.houses.isEmpty)
  }

  @Test func linkingObjectsAreObserved() throws {
    let realm = try LocalFile().open()
    let ada = Contact(1)
    try realm.write { realm.add(ada) }
    var counts: [Int] = []
    let token = ada.friendOf.observe { change in
      if case .update(let friends, _, _, _) = change { counts.append(friends.count) }
    }
    realm.refresh()
    try realm.write { realm.create(Contact.self, value: ["_id": 2, "friend": ada]) }
    #expect(counts == [1])
    token.invalidate()
  }
}
