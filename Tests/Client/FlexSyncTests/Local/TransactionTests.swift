// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Write transactions.
@Suite struct TransactionTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  private struct Refused: Error {}

  @Test func aWriteReturnsTheValueOfItsBlock() throws {
    let count = try realm.write {
      realm.add(Person("Ada"))
      return realm.objects(Person.self).count
    }
    #expect(count == 1)
    #expect(!realm.isInWriteTransaction)
  }

  @Test func aBlockThatThrowsTakesEverythingBack() throws {
    try realm.write { realm.add(Person("Ada", age: 36)) }
    #expect(throws: Refused.self) {
      try realm.write {
        realm.objects(Person.self)[0].age = 1
        realm.add(Person("Grace"))
        throw Refused()
      }
    }
    #expect(realm.objects(Person.self).map(\.age) == [36])
    #expect(!realm.isInWriteTransaction)
    try realm.write { realm.add(Person("Grace")) }
    #expect(realm.objects(Person.self).count == 2)
  }

  @Test func objectsOfATransactionThatWasTakenBackAreInvalidated() throws {
    let ada = Person("Ada")
    #expect(throws: Refused.self) {
      try realm.write {
        realm.add(ada)
        throw Refused()
      }
    }
    #expect(ada.isInvalidated)
  }

  @Test func transactionsCanBeBegunCommittedAndCanceledByHand() throws {
    realm.beginWrite()
    #expect(realm.isInWriteTransaction)
    realm.add(Person("Ada"))
    try realm.commitWrite()
    realm.beginWrite()
    realm.add(Person("Grace"))
    realm.cancelWrite()
    #expect(realm.objects(Person.self).map(\.name) == ["Ada"])
    try realm.write {
      realm.add(Person("Edsger"))
      realm.cancelWrite()
    }
    #expect(realm.objects(Person.self).count == 1)
  }

  @MainActor @Test func aRealmStaysOpenWhileItIsInATransaction() throws {
    let file = try LocalFile()
    try file.open().beginWrite()
    try file.open().add(Person("Ada"))
    try file.open().commitWrite()
    #expect(try file.open().objects(Person.self).map(\.name) == ["Ada"])
    try file.open().beginWrite()
    try file.open().cancelWrite()
    #expect(try !file.open().isInWriteTransaction)
  }

  @Test func aRealmSeesTheTransactionsOfAnotherAfterRefreshing() throws {
    let other = try file.open()
    try realm.write { realm.add(Person("Ada")) }
    #expect(other.refresh())
    #expect(other.objects(Person.self).count == 1)
    #expect(!other.refresh())
  }

  @Test func aRealmKeepsItsViewUntilItRefreshes() throws {
    let other = try file.open()
    _ = other.objects(Person.self).count
    try realm.write { realm.add(Person("Ada")) }
    #expect(other.objects(Person.self).isEmpty)
    try other.write {}
    #expect(other.objects(Person.self).count == 1)
  }

  @Test func realmsInMemoryAreSharedByNameAndForgottenWhenClosed() throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: "shared \(UUID().uuidString)")
    do {
      let first = try Realm(configuration: configuration)
      let second = try Realm(configuration: configuration)
      try first.write { first.add(Person("Ada")) }
      second.refresh()
      #expect(second.objects(Person.self).count == 1)
    }
    #expect(try Realm(configuration: configuration).objects(Person.self).isEmpty)
  }

  @Test func aRealmIsInAFileOrInMemoryWhicheverWasSetLast() throws {
    _ = try file.open()
    let url = try #require(file.configuration.fileURL)
    var configuration = Realm.Configuration(fileURL: url, inMemoryIdentifier: "in memory")
    #expect(configuration.fileURL == nil)
    #expect(!Realm.fileExists(for: configuration))
    configuration.fileURL = url
    #expect(configuration.inMemoryIdentifier == nil)
    #expect(Realm.fileExists(for: configuration))
    configuration.inMemoryIdentifier = "in memory"
    #expect(configuration.fileURL == nil)
    #expect(try !Realm.deleteFiles(for: configuration))
  }

  @Test func thereIsNoFileWhereNoneCanBe() throws {
    let url = try #require(URL(string: "https://example.com"))
    let configuration = Realm.Configuration(fileURL: url)
    #expect(!Realm.fileExists(for: configuration))
    #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
  }
}

/// Write transactions of the main actor.
@MainActor @Suite struct MainActorTransactionTests {
  @Test func writingIsAvailableToAsynchronousCode() async throws {
    let file = try LocalFile()
    let realm = try await Realm(configuration: file.configuration)
    let ada = try await realm.asyncWrite {
      let ada = Person("Ada")
      realm.add(ada)
      return ada
    }
    #expect(ada.name == "Ada")
    await realm.asyncRefresh()
  }
}
