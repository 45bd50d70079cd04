// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSync
import Foundation
import Synchronization
import Testing

/// Observation on queues and actors, and what observers of a realm without automatic refreshes are told.
@Suite struct RemoteObservationTests {
  let file: LocalFile

  init() throws { file = try LocalFile() }

  /// What observers on any thread were told.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }

    func note<Collection: Swift.Collection>(_ change: RealmCollectionChange<Collection>) {
      switch change {
      case .initial(let collection): add("initial \(collection.count)")
      case .update(_, let deletions, let insertions, let modifications):
        add("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): add("\(error)")
      }
    }

    func note<Sections: Swift.Collection>(_ name: String, _ change: SectionedResultsChange<Sections>) {
      switch change {
      case .initial(let sections): add("\(name) initial \(sections.count)")
      case .update(_, _, _, let modifications, _, _): add("\(name) ~\(modifications)")
      }
    }

    func note(_ name: String, _ change: ObjectChange<PersonCard>) {
      guard case .change(_, let properties) = change else { return add("\(name) \(change)") }
      for property in properties { add("\(name) \(property.name): \(property.newValue ?? "nil")") }
    }
  }

  private actor Watcher {
    let log = Log()

    func note(_ line: String) { log.add(line) }
  }

  @Test @MainActor func aQueueObservesInARealmOfItsOwn() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    let (queue, log) = (DispatchQueue(label: "observing"), Log())
    let tokens = [
      realm.objects(Person.self).observe(on: queue) { @Sendable change in
        dispatchPrecondition(condition: .onQueue(queue))
        log.note(change)
      },
      ada.observe(keyPaths: ["age"], on: queue) { @Sendable (change: ObjectChange<Person>) in
        dispatchPrecondition(condition: .onQueue(queue))
        guard case .change(let person, let properties) = change else { return }
        #expect(person.age == 40)
        log.add(properties.map { "\($0.name): \($0.oldValue ?? "nil"), \($0.newValue ?? "nil")" }.joined())
      },
    ]
    try await eventually { log.all == ["initial 1"] }
    try realm.write { ada.age = 40 }
    try await eventually { Set(log.all) == ["initial 1", "-[] +[] ~[0]", "age: 18, 40"] }
    for token in tokens {
      #expect(token.invalidate())
      #expect(!token.invalidate())
    }
    try realm.write { ada.age = 41 }
    queue.sync {}
    #expect(log.all.count == 3)
  }

  @Test @MainActor func aTokenThatIsInvalidatedInTimeNeverObserves() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let (queue, log) = (DispatchQueue(label: "observing"), Log())
    let blocked = DispatchSemaphore(value: 0)
    queue.async { blocked.wait() }
    let token = realm.objects(Person.self).observe(on: queue) { @Sendable change in log.note(change) }
    #expect(token.invalidate())
    blocked.signal()
    queue.sync {}
    try realm.write { realm.add(Person("Ada")) }
    queue.sync {}
    #expect(log.all == [])
  }

  @Test @MainActor func anActorObservesInARealmOfItsOwn() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let ada = Person("Ada")
    let lists = Lists()
    try realm.write {
      realm.add(ada)
      realm.add(lists)
    }
    let watcher = Watcher()
    let log = watcher.log
    let tokens = [
      await realm.objects(Person.self).observe(keyPaths: [\.age], on: watcher) { watcher, change in
        watcher.preconditionIsolated()
        log.note(change)
      },
      await lists.strings.observe(on: watcher) { _, change in log.note(change) },
      await ada.observe(on: watcher) { _, change in
        if case .change(let person, _) = change { log.add("\(person.name) \(person.age)") }
      },
    ]
    try await eventually { Set(log.all) == ["initial 1", "initial 0"] }
    try await realm.asyncWrite { ada.friends.append(ada) }
    try await realm.asyncWrite {
      ada.age = 40
      lists.strings.append("a")
    }
    try await eventually { log.all.contains("-[] +[] ~[0]") && log.all.contains("-[] +[0] ~[]") }
    try await eventually { log.all.contains("Ada 40") }
    #expect(log.all.filter { $0 == "-[] +[] ~[0]" }.count == 1)
    for token in tokens { token.invalidate() }
  }

  @Test @MainActor func sectionsAreObservedElsewhere() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    let sections = realm.objects(Person.self).sectioned(by: \.name)
    let (queue, watcher) = (DispatchQueue(label: "observing"), Watcher())
    let log = watcher.log
    let tokens = [
      sections.observe(keyPaths: [\.age], on: queue) { @Sendable change in
        dispatchPrecondition(condition: .onQueue(queue))
        log.note("queue", change)
      },
      await sections[0].observe(on: watcher) { watcher, change in
        watcher.preconditionIsolated()
        log.note("actor", change)
      },
      await sections.observe(keyPaths: [\.dog], on: watcher) { _, change in log.note("other", change) },
    ]
    try await eventually { Set(log.all) == ["queue initial 1", "actor initial 1", "other initial 1"] }
    try await realm.asyncWrite { ada.age = 40 }
    try await eventually { Set(log.all.dropFirst(3)) == ["queue ~[[0, 0]]", "actor ~[[0, 0]]"] }
    for token in tokens { token.invalidate() }
  }

  @Test @MainActor func projectionsAreObservedElsewhere() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let ada = Person("Ada", dog: Dog())
    try realm.write { realm.add(ada) }
    let card = PersonCard(projecting: ada)
    let (queue, watcher) = (DispatchQueue(label: "observing"), Watcher())
    let log = watcher.log
    let tokens = [
      card.observe(keyPaths: ["dog.name"], on: queue) { @Sendable change in
        dispatchPrecondition(condition: .onQueue(queue))
        log.note("queue", change)
      },
      await card.observe(keyPaths: [\.dogName], on: watcher) { watcher, change in
        watcher.preconditionIsolated()
        log.note("actor", change)
      },
      await card.observe(keyPaths: [\.friends], on: watcher) { _, change in log.note("other", change) },
    ]
    queue.sync {}
    try await realm.asyncWrite { ada.dog?.name = "Fido" }
    try await eventually { Set(log.all) == ["queue dogName: Fido", "actor dogName: Fido"] }
    for token in tokens { token.invalidate() }
  }

  @Test @MainActor func projectedCollectionsAreObservedElsewhere() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let (ada, bob) = (Person("Ada"), Person("Bob"))
    ada.friends.append(bob)
    try realm.write { realm.add(ada) }
    let ages = PersonCard(projecting: ada).ages
    let (queue, watcher) = (DispatchQueue(label: "observing"), Watcher())
    let log = watcher.log
    let tokens = [
      ages.observe(keyPaths: ["age"], on: queue) { @Sendable change in
        dispatchPrecondition(condition: .onQueue(queue))
        log.note(change)
      },
      await ages.observe(on: watcher) { watcher, change in
        watcher.preconditionIsolated()
        if case .update(let ages, _, _, _) = change { log.add("\(Array(ages))") }
      },
      await ages.observe(keyPaths: ["dog"], on: watcher) { _, change in log.note(change) },
    ]
    try await eventually { log.all == ["initial 1", "initial 1"] }
    try await realm.asyncWrite { bob.age = 40 }
    try await eventually { Set(log.all.dropFirst(2)) == ["-[] +[] ~[0]", "[40]"] }
    for token in tokens { token.invalidate() }
  }

  @Test @MainActor func aCanceledTaskDoesNotBeginToObserve() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let watcher = Watcher()
    let task = _Concurrency.Task { @MainActor in
      withUnsafeCurrentTask { $0?.cancel() }
      let token = await realm.objects(Person.self).observe(on: watcher) { _, change in
        watcher.log.note(change)
      }
      return token.invalidate()
    }
    #expect(await !task.value)
    #expect(watcher.log.all == [])
  }

  @Test @MainActor func aRealmThatDoesNotRefreshTellsThatItShould() async throws {
    let realm = try await Realm(configuration: file.configuration)
    realm.autorefresh = false
    let log = Log()
    let results = realm.objects(Person.self)
    let tokens = [
      realm.observe { notification, _ in log.add("\(notification)") },
      results.observe { log.note($0) },
    ]
    try await eventually { log.all == ["initial 0"] }
    let file = file
    try await inBackground {
      let other = try file.open()
      try other.write { other.add(Person("Ada")) }
    }
    try await eventually { log.all == ["initial 0", "refreshRequired"] }
    #expect(results.count == 0)
    #expect(await realm.asyncRefresh())
    #expect(log.all == ["initial 0", "refreshRequired", "didChange", "-[] +[0] ~[]"])
    for token in tokens { token.invalidate() }
  }

  @Test func aTransactionCanLeaveObserversOut() throws {
    let realm = try file.open()
    let (silenced, told) = (Log(), Log())
    let tokens = [
      realm.objects(Person.self).observe { silenced.note($0) },
      realm.objects(Person.self).observe { told.note($0) },
    ]
    realm.refresh()
    try realm.write(withoutNotifying: [tokens[0]]) { realm.add(Person("Ada")) }
    realm.beginWrite()
    realm.add(Person("Bob"))
    try realm.commitWrite(withoutNotifying: [tokens[1]])
    #expect(silenced.all == ["initial 0", "-[] +[1] ~[]"])
    #expect(told.all == ["initial 0", "-[] +[0] ~[]"])
    for token in tokens { token.invalidate() }
  }

  @Test func collectionsInMixedValuesCanBeObserved() throws {
    let realm = try file.open()
    let mixed = MixedHolder()
    mixed.value = .fromArray([.fromDictionary(["a": .int(1)]), .int(2)])
    try realm.write { realm.add(mixed) }
    let list = try #require(mixed.value.listValue)
    let inner = try #require(list[0].dictionaryValue)
    let log = Log()
    let tokens = [
      list.observe { log.note($0) },
      inner.observe { change in
        if case .update(_, let deletions, let insertions, let modifications) = change {
          log.add("-\(deletions) +\(insertions) ~\(modifications)")
        }
      },
    ]
    realm.refresh()
    try realm.write { list.append(.int(3)) }
    try realm.write { inner["b"] = .int(1) }
    try realm.write { mixed.value = .int(1) }
    #expect(
      log.all == [
        "initial 2", "-[] +[2] ~[]", "-[] +[] ~[0]", #"-[] +["b"] ~[]"#, "-[0, 1, 2] +[] ~[]",
        #"-["a", "b"] +[] ~[]"#,
      ]
    )
    for token in tokens { token.invalidate() }
  }
}

class MixedHolder: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var value: AnyRealmValue
}
