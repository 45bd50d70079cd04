// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import Testing

/// Publishers that observe in the realm of their subscriber.
@Suite struct LocalPublisherTests {
  let garden: Garden
  let log = Log()

  init() throws { garden = try Garden() }

  private var realm: Realm { garden.realm }
  private var fern: Plant { garden.fern }

  private final class Owner {
    var token: NotificationToken?
  }

  @Test func aRealmPublishesItsChangesBeforeAWriteReturns() throws {
    let owner = Owner()
    let subscription = realm.objectWillChange.sink { log.add("changed") }
    let other = realm.objectWillChange.saveToken(on: owner, for: \.token).sink { log.add("saved") }
    try garden.grow()
    #expect(log.take() == ["changed", "saved"])
    try realm.write(withoutNotifying: [try #require(owner.token)]) { fern.height = 9 }
    #expect(log.take() == ["changed"])
    subscription.cancel()
    other.cancel()
    try garden.grow()
    #expect(log.take() == [])
  }

  @Test func objectsAreObservable() throws {
    let pot = try #require(fern.pot)
    let (owner, label) = (Owner(), PlantLabel(projecting: fern))
    let subscriptions = [
      fern.objectWillChange.sink { log.add("plant") },
      fern.objectWillChange.saveToken(on: owner, at: \.token).sink { log.add("saved") },
      pot.objectWillChange.sink { log.add("pot") },
      label.objectWillChange.sink { log.add("label") },
    ]
    try garden.grow()
    #expect(log.take() == ["plant", "saved"])
    try realm.write { pot.width = 3 }
    #expect(log.take().contains("pot"))
    try realm.write(withoutNotifying: [try #require(owner.token)]) { fern.name = "tree fern" }
    #expect(Set(log.take()) == ["plant", "label"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func anObjectIsPublishedUntilItIsDeleted() throws {
    let subscription = valuePublisher(fern).sink {
      log.add("\($0)")
    } receiveValue: { plant in
      log.add("\(plant == fern) \(plant.height)")
    }
    try garden.grow()
    try garden.grow()
    #expect(log.take() == ["true 1", "true 2"])
    try realm.write { realm.delete(fern) }
    #expect(log.take() == ["finished"])
    withExtendedLifetime(subscription) {}
  }

  @Test func theChangesOfAnObjectArePublishedUntilItIsDeleted() throws {
    let subscription = changesetPublisher(fern).sink {
      log.add("\($0)")
    } receiveValue: {
      log.note($0)
    }
    let names = changesetPublisher(fern, keyPaths: ["name"]).sink { log.note($0) }
    try garden.grow()
    #expect(log.take() == ["height"])
    try realm.write { fern.name = "moss" }
    #expect(log.take() == ["name", "name"])
    try realm.write { realm.delete(fern) }
    #expect(log.take() == ["finished"])
    withExtendedLifetime((subscription, names)) {}
  }

  @Test func aProjectionPublishesItsProperties() throws {
    let label = PlantLabel(projecting: fern)
    let subscriptions = [
      valuePublisher(label).sink {
        log.add("\($0)")
      } receiveValue: {
        log.add($0.text)
      },
      changesetPublisher(label).sink { log.note($0) },
    ]
    try garden.grow()
    #expect(log.take() == [])
    try realm.write { fern.name = "moss" }
    #expect(log.take() == ["moss", "text"])
    try realm.write { realm.delete(fern) }
    #expect(log.take() == ["finished"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func aSavedTokenWritesWithoutNotifying() throws {
    let (owner, other) = (Owner(), Owner())
    let subscriptions = [
      valuePublisher(fern).saveToken(on: owner, at: \.token)
        .sink { _ in
        } receiveValue: { _ in
          log.add("value")
        },
      changesetPublisher(fern).saveToken(on: other, at: \.token).sink { log.note($0) },
    ]
    let tokens = [try #require(owner.token), try #require(other.token)]
    try realm.write(withoutNotifying: tokens) { fern.height = 5 }
    #expect(log.take() == [])
    try garden.grow()
    #expect(log.take() == ["value", "height"])
    withExtendedLifetime(subscriptions) {}
  }

  // MARK: Collections

  /// Fills the log from publishers of a collection, and returns what it says at the beginning, and after each change.
  private func logs<Collection: RealmCollection & RealmSubscribable>(
    of collection: Collection,
    _ changes: () throws -> Void...
  ) throws -> [[String]] {
    let subscriptions = [
      collection.objectWillChange.sink { log.add("will change") },
      collection.collectionPublisher.sink { _ in
      } receiveValue: {
        log.add("count \($0.count)")
      },
      collection.changesetPublisher.sink { log.note($0) },
    ]
    realm.refresh()
    var logs = [log.take()]
    for change in changes {
      try realm.write(change)
      logs.append(log.take())
    }
    withExtendedLifetime(subscriptions) {}
    return logs
  }

  // Feature 8
  @Test func collectionsArePublishedAtTheBeginningAndAfterEachChange() throws {
    let beginning = ["will change", "count 0", "initial"]
    let insertion = ["will change", "count 1", "-[] +[0] ~[]"]
    let removal = ["will change", "count 0", "-[0] +[] ~[]"]
    let expected = [beginning, insertion, removal]
    let moss = Plant(2, "moss")
    try realm.write { realm.add(moss) }
    #expect(
      try logs(of: fern.neighbours, { fern.neighbours.append(moss) }, { fern.neighbours.removeAll() })
        == expected
    )
    #expect(try logs(of: fern.tags, { fern.tags.insert("green") }, { fern.tags.removeAll() }) == expected)
    let tall = realm.objects(Plant.self).where { $0.height > 10 }
    #expect(try logs(of: tall, { fern.height = 11 }, { fern.height = 0 }) == expected)
    #expect(
      try logs(of: AnyRealmCollection(tall), { fern.height = 11 }, { fern.height = 0 }) == expected
    )
    #expect(
      try logs(of: moss.neighbourOf, { fern.neighbours.append(moss) }, { fern.neighbours.removeAll() })
        == expected
    )
  }

  @Test func mapsArePublishedByKey() throws {
    let subscriptions = [
      fern.sizes.objectWillChange.sink { log.add("will change") },
      fern.sizes.collectionPublisher.sink { _ in
      } receiveValue: {
        log.add("count \($0.count)")
      },
      fern.sizes.changesetPublisher.sink { log.note($0) },
    ]
    realm.refresh()
    #expect(log.take() == ["will change", "count 0", "initial"])
    try realm.write { fern.sizes["leaf"] = 3 }
    #expect(log.take() == ["will change", "count 1", #"-[] +["leaf"] ~[]"#])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func sectionsArePublished() throws {
    let sections = realm.objects(Plant.self).sectioned(by: \.name, ascending: true)
    let section = try #require(sections.first)
    let subscriptions = [
      sections.objectWillChange.sink { log.add("will change") },
      sections.collectionPublisher.sink { _ in
      } receiveValue: {
        log.add("sections \($0.count)")
      },
      sections.changesetPublisher.sink { log.note($0) },
      section.collectionPublisher.sink { _ in
      } receiveValue: {
        log.add("\($0.key) \($0.count)")
      },
      section.changesetPublisher.sink { log.note($0) },
    ]
    realm.refresh()
    #expect(log.take() == ["will change", "sections 1", "initial", "fern 1", "initial"])
    try realm.write { realm.add(Plant(2, "moss")) }
    #expect(log.take() == ["will change", "sections 2", "-0 +1 ~0 [1] []"])
    try garden.grow()
    #expect(log.take() == ["will change", "sections 2", "-0 +0 ~1 [] []", "fern 1", "-0 +0 ~1 [] []"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func keyPathsSayWhatCountsAsAModification() throws {
    let plants = realm.objects(Plant.self)
    let subscriptions = [
      plants.changesetPublisher(keyPaths: ["name"]).sink { log.note($0) },
      plants.collectionPublisher(keyPaths: ["height"]).sink { _ in
      } receiveValue: { _ in
        log.add("plants")
      },
      valuePublisher(fern, keyPaths: ["name"]).sink { _ in
      } receiveValue: { _ in
        log.add("fern")
      },
    ]
    realm.refresh()
    #expect(log.take() == ["initial", "plants"])
    try garden.grow()
    #expect(log.take() == ["plants"])
    try realm.write { fern.name = "moss" }
    #expect(log.take() == ["-[] +[] ~[0]", "fern"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func aSavedTokenOfACollectionWritesWithoutNotifying() throws {
    let owner = Owner()
    let subscription = fern.neighbours.changesetPublisher.saveToken(on: owner, at: \.token)
      .sink { log.note($0) }
    realm.refresh()
    #expect(log.take() == ["initial"])
    try realm.write(withoutNotifying: [try #require(owner.token)]) { fern.neighbours.append(Plant(2)) }
    #expect(log.take() == [])
    withExtendedLifetime(subscription) {}
  }

  @Test func canceledSubscriptionsReceiveNothing() throws {
    let subscription = fern.neighbours.changesetPublisher.first().sink { _ in
      log.add("finished")
    } receiveValue: {
      log.note($0)
    }
    realm.refresh()
    #expect(log.take() == ["initial", "finished"])
    try realm.write { fern.neighbours.append(Plant(2)) }
    #expect(log.take() == [])
    withExtendedLifetime(subscription) {}
  }

  @Test func onlyWhatIsInARealmCanBePublished() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = changesetPublisher(Plant(1))
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("Only managed objects can be published"))
  }

  @Test func observationOnASchedulerThatIsNoQueueStopsTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = valuePublisher(try Garden().fern).subscribe(on: ImmediateScheduler.shared)
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("only serial dispatch queues are currently implemented"))
  }
}
