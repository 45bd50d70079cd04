// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Opening a realm where it is open gives the same one.
@Suite struct RealmIdentityTests {
  let file: LocalFile

  init() throws { file = try LocalFile() }

  @Test func aThreadHasOneRealmForAFile() async throws {
    let file = file
    try await inBackground {
      let first = try file.open()
      let second = try file.open()
      #expect(first == second)
      try first.write {
        #expect(second.isInWriteTransaction)
        let ada = second.create(Person.self, value: ["name": "Ada"])
        first.add(Person("Bob"))
        ada.friends.append(objectsIn: first.objects(Person.self))
        second.delete(ada)
      }
      #expect(second.objects(Person.self).map(\.name) == ["Bob"])
    }
  }

  @Test func openingInsideAWriteIsPartOfIt() async throws {
    let file = file
    try await inBackground {
      @Sendable func add(_ name: String) throws { try file.open().add(Person(name)) }
      let realm = try file.open()
      try realm.write {
        try add("Ada")
        try add("Bob")
      }
      #expect(realm.objects(Person.self).count == 2)
      #expect(throws: NeverHappened.self) {
        try realm.write {
          try add("Cyd")
          throw NeverHappened(description: "what follows")
        }
      }
      #expect(realm.objects(Person.self).count == 2)
    }
  }

  @Test func threadsHaveRealmsOfTheirOwn() async throws {
    let file = file
    let mine = try await inBackground {
      let realm = try file.open()
      try realm.write { realm.add(Person("Ada")) }
      let before = realm.objects(Person.self)
      let done = DispatchSemaphore(value: 0)
      Thread {
        if let other = try? file.open() { try? other.write { other.add(Person("Bob")) } }
        done.signal()
      }.start()
      done.wait()
      #expect(before.count == 1, "another thread's realm shows newer data, not this one")
      realm.refresh()
      return before.count
    }
    #expect(mine == 2)
  }

  @Test func differentFilesAreDifferentRealms() async throws {
    let (file, other) = (file, try LocalFile())
    try await inBackground {
      let (first, second) = (try file.open(), try other.open())
      #expect(first != second)
      let memory = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
      let (third, fourth) = (try Realm(configuration: memory), try Realm(configuration: memory))
      #expect(third == fourth && third != first)
    }
  }

  @Test func aRealmThatNothingRefersToIsClosed() async throws {
    let file = file
    try await inBackground {
      do {
        let person = try {
          let realm = try file.open()
          return try realm.write { realm.create(Person.self, value: ["name": "Ada"]) }
        }()
        let again = try file.open()
        #expect(person.realm == again, "an object keeps its realm open")
      }
      #expect(try Realm.deleteFiles(for: file.configuration))
      #expect(try file.open().isEmpty)
    }
  }

  @Test @MainActor func theMainActorHasOneRealmHoweverItIsOpened() async throws {
    let first = try await Realm(configuration: file.configuration)
    let second = try await Realm.open(configuration: file.configuration)
    #expect(first == second)
    let file = file
    @MainActor func openSynchronously() throws -> Realm { try file.open() }
    #expect(try openSynchronously() == first)
  }

  private actor Notebook {
    func opensTwice(_ configuration: Realm.Configuration) async throws -> Bool {
      let first = try await Realm(configuration: configuration, actor: self)
      let second = try await Realm.open(configuration: configuration)
      return first == second
    }
  }

  @Test func anActorHasOneRealm() async throws {
    #expect(try await Notebook().opensTwice(file.configuration))
  }

  @Test func aQueueHasOneRealmWhichRefreshesOnIt() async throws {
    let (file, queue) = (file, DispatchQueue(label: "notes"))
    let people = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Kept, any Error>) in
      queue.async {
        continuation.resume(
          with: Result {
            let realm = try Realm(configuration: file.configuration, queue: queue)
            #expect(try Realm(configuration: file.configuration, queue: queue) == realm)
            return Kept(people: realm.objects(Person.self))
          }
        )
      }
    }
    try await inBackground {
      let other = try file.open()
      try other.write { other.add(Person("Ada")) }
    }
    try await eventually { queue.sync { people.people.count } == 1 }
  }

  /// Results on their way between uses of their queue.
  private struct Kept: @unchecked Sendable {
    let people: Results<Person>
  }

  @Test @MainActor func autorefreshIsSwitchedOffAndOn() async throws {
    let realm = try await Realm(configuration: file.configuration)
    #expect(realm.autorefresh)
    realm.autorefresh = false
    let people = realm.objects(Person.self)
    let file = file
    try await inBackground {
      let other = try file.open()
      try other.write { other.add(Person("Ada")) }
    }
    try await _Concurrency.Task.sleep(for: .milliseconds(50))
    #expect(people.isEmpty)
    realm.autorefresh = true
    try await eventually { people.count == 1 }
  }
}
