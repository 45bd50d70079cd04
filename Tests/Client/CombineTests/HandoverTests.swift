// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSync
import FlexSyncAppTestSupport
import FlexSyncOpenCombine
import Foundation
import OpenCombine
import OpenCombineDispatch
import Testing

/// Publishers whose values are used on other queues.
@Suite(.timeLimit(.minutes(15))) struct HandoverTests {
  let garden: Garden
  let log = Log()
  let queue = DispatchQueue(label: "receiving")

  init() throws { garden = try Garden() }

  private var realm: Realm { garden.realm }
  private var fern: Plant { garden.fern }

  /// Waits until the queue has delivered what was published.
  private func delivered() -> [String] {
    queue.sync {}
    return log.take()
  }

  @Test func objectsAreReceivedInARealmOfTheQueue() throws {
    let (queue, log) = (queue, log)
    let subscriptions = [
      valuePublisher(fern).receive(on: queue).sink { @Sendable in
        log.add("\($0)")
      } receiveValue: { @Sendable in
        dispatchPrecondition(condition: .onQueue(queue))
        log.add("\($0.height) \($0.realm?.isFrozen ?? true)")
      },
      changesetPublisher(fern).receive(on: queue).sink { @Sendable in log.note($0) },
    ]
    try garden.grow()
    #expect(delivered() == ["1 false", "height"])
    try realm.write { realm.delete(fern) }
    #expect(delivered() == ["finished"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func collectionsAreReceivedInARealmOfTheQueue() throws {
    let log = log
    let sections = realm.objects(Plant.self).sectioned(by: \.name, ascending: true)
    let label = PlantLabel(projecting: fern)
    let subscriptions = [
      fern.neighbours.collectionPublisher.receive(on: queue)
        .sink { _ in
        } receiveValue: { @Sendable in
          log.add("list \($0.count)")
        },
      realm.objects(Plant.self).changesetPublisher.receive(on: queue).sink { @Sendable in log.note($0) },
      fern.sizes.changesetPublisher.receive(on: queue).sink { @Sendable in log.note($0) },
      sections.changesetPublisher.receive(on: queue).sink { @Sendable in log.note($0) },
      valuePublisher(label).receive(on: queue).sink { _ in
      } receiveValue: { @Sendable in
        log.add($0.text)
      },
    ]
    realm.refresh()
    #expect(delivered() == ["list 0", "initial", "initial", "initial"])
    try realm.write {
      fern.neighbours.append(fern)
      fern.name = "moss"
    }
    #expect(delivered() == ["list 1", "-[] +[] ~[0]", "-0 +1 ~0 [0] [0]", "moss"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func threadSafeReferencesPassOperators() throws {
    let (queue, log) = (queue, log)
    let subscriptions = [
      fern.neighbours.collectionPublisher.map { $0 }.threadSafeReference().receive(on: queue)
        .sink { _ in
        } receiveValue: { @Sendable in
          log.add("list \($0.count)")
        },
      fern.neighbours.changesetPublisher.map { $0 }.threadSafeReference().receive(on: queue.ocombine)
        .sink { @Sendable in log.note($0) },
      changesetPublisher(fern).map { $0 }.threadSafeReference().receive(on: queue)
        .sink { @Sendable in log.note($0) },
      fern.tags.collectionPublisher.threadSafeReference().sink { _ in
      } receiveValue: { _ in
        log.add("here")
      },
    ]
    realm.refresh()
    #expect(log.take().contains("here"))
    _ = delivered()
    try realm.write { fern.neighbours.append(fern) }
    #expect(delivered() == ["list 1", "-[] +[0] ~[]", "neighbours"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func frozenValuesGoAnywhere() throws {
    let log = log
    let subscriptions = [
      valuePublisher(fern).freeze().receive(on: queue)
        .sink { _ in
        } receiveValue: { @Sendable in
          log.add("\($0.isFrozen) \($0.height)")
        },
      changesetPublisher(fern).freeze().receive(on: queue).sink { @Sendable change in
        if case .change(let plant, _) = change { log.add("\(plant.isFrozen) \(plant.height)") }
      },
      realm.objects(Plant.self).changesetPublisher.freeze().receive(on: queue).sink { @Sendable change in
        if case .update(let plants, _, _, _) = change { log.add("\(plants.isFrozen) \(plants[0].height)") }
      },
      fern.sizes.changesetPublisher.freeze().threadSafeReference().receive(on: queue).sink {
        @Sendable change in
        if case .initial(let sizes) = change { log.add("\(sizes.isFrozen)") }
      },
    ]
    realm.refresh()
    #expect(delivered() == ["true"])
    queue.suspend()
    try garden.grow()
    try garden.grow()
    queue.resume()
    #expect(delivered() == ["true 1", "true 1", "true 1", "true 2", "true 2", "true 2"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func publishersObserveOnAQueue() async throws {
    let (queue, log) = (queue, log)
    let subscriptions = [
      fern.neighbours.changesetPublisher.subscribe(on: queue).sink { @Sendable in
        dispatchPrecondition(condition: .onQueue(queue))
        log.note($0)
      },
      changesetPublisher(fern).subscribe(on: queue).receive(on: DispatchQueue(label: "receiving"))
        .sink { @Sendable in log.note($0) },
    ]
    try await eventually { log.all == ["initial"] }
    queue.sync {}
    try garden.grow()
    try await eventually { log.all == ["initial", "height"] }
    try realm.write { fern.neighbours.append(Plant(2)) }
    try await eventually { Set(log.all) == ["initial", "height", "-[] +[0] ~[]", "neighbours"] }
    withExtendedLifetime(subscriptions) {}
  }

  @Test func aRealmIsOpenedAndPublished() async throws {
    let (queue, log) = (queue, log)
    let subscription = Realm.asyncOpen(configuration: realm.configuration).receive(on: queue)
      .sink { @Sendable in
        log.add("\($0)")
      } receiveValue: { @Sendable realm in
        dispatchPrecondition(condition: .onQueue(queue))
        log.add("\(realm.objects(Plant.self).count)")
      }
    try await eventually { log.all == ["1", "finished"] }
    withExtendedLifetime(subscription) {}
  }
}
