// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Mistakes for which the Realm Swift SDK raises an exception stop the program, with the text of that exception.
@Suite struct MisuseTests {
  @Test(arguments: Mistake.allCases)
  func aMistakeStopsTheProgramWithTheTextOfTheException(_ mistake: Mistake) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
      try mistake.make()
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains(mistake.text))
  }
}

enum Mistake: String, CaseIterable, Codable, Sendable {
  case changingAPropertyOutsideOfATransaction
  case changingAListOutsideOfATransaction
  case addingOutsideOfATransaction
  case deletingOutsideOfATransaction
  case beginningATransactionWithinAnother
  case committingWithoutATransaction
  case cancelingWithoutATransaction
  case addingASecondObjectOfAPrimaryKey
  case linkingToASecondObjectOfAPrimaryKey
  case creatingFromNestedValuesOfAPrimaryKeyThatExists
  case addingADeletedObject
  case readingADeletedObject
  case addingAnObjectOfAnotherRealm
  case embeddingAnObjectTwice
  case embeddingAnElementAgain
  case insertingBeyondTheEnd
  case insertingBeyondTheEndOutsideOfARealm
  case readingBeyondTheEnd
  case readingAtANegativeIndex
  case nestingAListInItself
  case givingMoreValuesThanProperties
  case givingAValueOfAnotherType
  case givingNullAsAnElement
  case updatingAClassWithoutAPrimaryKey
  case changingAPrimaryKey
  case readingObjectsOfNoClass

  var text: String {
    switch self {
    case .changingAPropertyOutsideOfATransaction:
      "Attempting to modify object outside of a write transaction - call beginWriteTransaction on an RLMRealm instance "
        + "first."
    case .changingAListOutsideOfATransaction:
      "Cannot modify managed RLMArray outside of a write transaction."
    case .addingOutsideOfATransaction, .deletingOutsideOfATransaction:
      "Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on an "
        + "RLMRealm instance first."
    case .beginningATransactionWithinAnother: "The Realm is already in a write transaction"
    case .committingWithoutATransaction: "Can't commit a non-existing write transaction"
    case .cancelingWithoutATransaction: "Can't cancel a non-existing write transaction"
    case .addingASecondObjectOfAPrimaryKey, .linkingToASecondObjectOfAPrimaryKey,
      .creatingFromNestedValuesOfAPrimaryKeyThatExists:
      "Attempting to create an object of type 'Person' with an existing primary key value '"
    case .addingADeletedObject: "Adding a deleted or invalidated object to a Realm is not permitted"
    case .readingADeletedObject: "Object has been deleted or invalidated."
    case .addingAnObjectOfAnotherRealm:
      "Object is already managed by another Realm. Use create instead to copy it into this Realm."
    case .embeddingAnObjectTwice: "Can't set link to existing managed embedded object"
    case .embeddingAnElementAgain: "Cannot add an existing managed embedded object to a List."
    case .insertingBeyondTheEnd: "Index 200 is out of bounds (must be less than 2)."
    case .insertingBeyondTheEndOutsideOfARealm: "Index 1 is out of bounds (must be less than 1)."
    case .readingBeyondTheEnd: "Index 1 is out of bounds (must be less than 1)."
    case .readingAtANegativeIndex: "Cannot pass a negative value for 'index'."
    case .nestingAListInItself: "nested"
    case .givingMoreValuesThanProperties: "Invalid array input: more values (5) than properties (4)."
    case .givingAValueOfAnotherType:
      "Invalid value 'old' of type 'String' for 'int' property 'Person.age'."
    case .givingNullAsAnElement: "for 'Person' array property 'Person.friends'."
    case .readingObjectsOfNoClass: "Object type 'Object' is not managed by the Realm."
    case .changingAPrimaryKey: "Primary key can't be changed after an object is inserted."
    case .updatingAClassWithoutAPrimaryKey: "'Keyless' does not have a primary key and can not be updated"
    }
  }

  func make() throws {
    let realm = try LocalFile().open()
    let ada = Person("Ada")
    try realm.write {
      realm.add(ada)
      ada.friends.append(ada)
    }
    switch self {
    case .changingAPropertyOutsideOfATransaction: ada.age = 1
    case .changingAListOutsideOfATransaction: ada.friends.removeAll()
    case .addingOutsideOfATransaction: realm.add(Person("Grace"))
    case .deletingOutsideOfATransaction: realm.delete(ada)
    case .beginningATransactionWithinAnother: try realm.write { try realm.write {} }
    case .committingWithoutATransaction: try realm.commitWrite()
    case .readingObjectsOfNoClass: print(realm.objects(Object.self).count)
    case .cancelingWithoutATransaction: realm.cancelWrite()
    case .insertingBeyondTheEndOutsideOfARealm:
      let grace = Person("Grace")
      grace.friends.insert(ada, at: 1)
    case .readingBeyondTheEnd: print(ada.friends[1])
    case .readingAtANegativeIndex: print(ada.friends[-1])
    case .givingMoreValuesThanProperties: _ = Person(value: ["Ada", 1, NSNull(), NSNull(), 5] as [Any])
    case .givingAValueOfAnotherType: _ = Person(value: ["age": "old"])
    default: try realm.write { try write(realm, ada) }
    }
  }

  private func write(_ realm: Realm, _ ada: Person) throws {
    switch self {
    case .addingASecondObjectOfAPrimaryKey: realm.add(Person("Ada"))
    case .linkingToASecondObjectOfAPrimaryKey:
      let grace = Person("Grace")
      grace.friends.append(Person("Ada"))
      realm.add(grace)
    case .creatingFromNestedValuesOfAPrimaryKeyThatExists:
      realm.create(Person.self, value: ["name": "Grace", "friends": [["name": "Ada"]]])
    case .addingADeletedObject:
      realm.delete(ada)
      realm.add(ada)
    case .readingADeletedObject:
      realm.delete(ada)
      print(ada.age)
    case .addingAnObjectOfAnotherRealm:
      let other = try LocalFile().open()
      try other.write { other.add(ada) }
    case .embeddingAnObjectTwice:
      let contact = realm.create(Contact.self, value: ["_id": 1, "home": ["street": "Elm"]])
      realm.create(Contact.self, value: ["_id": 2]).home = contact.home
    case .embeddingAnElementAgain:
      let contact = realm.create(Contact.self, value: ["_id": 1, "addresses": [["street": "Elm"]]])
      contact.addresses[0] = contact.addresses[0]
    case .insertingBeyondTheEnd: ada.friends.insert(ada, at: 200)
    case .nestingAListInItself:
      let list = List<AnyRealmValue>()
      list.append(.list(list))
      realm.create(Note.self, value: ["_id": 1]).any = .list(list)
    case .givingNullAsAnElement: realm.create(Person.self, value: ["name": "Grace", "friends": [NSNull()]])
    case .updatingAClassWithoutAPrimaryKey: realm.add(Keyless(), update: .modified)
    case .changingAPrimaryKey: ada.name = "Grace"
    default: break
    }
  }
}

private class Keyless: Object {
  @Persisted var name: String
}
