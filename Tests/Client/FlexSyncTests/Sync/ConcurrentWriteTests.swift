// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class SharedCounter: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var count: Int
  @Persisted var rounds: Int?

  override class func _realmObjectName() -> String? { "SharedCounter" }
}

/// What becomes of integers that devices write without knowing of each other.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct ConcurrentWriteTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ server: TestServer, _ device: String) async throws -> Realm {
    let app = server.app(folder, device: device)
    var configuration = try await app.login(credentials: .anonymous).flexibleSyncConfiguration()
    configuration.objectTypes = [SharedCounter.self]
    let realm = try await Realm(configuration: configuration)
    let subscriptions = realm.subscriptions
    try await subscriptions.update { subscriptions.append(QuerySubscription<SharedCounter>()) }
    return realm
  }

  private func counter(_ realm: Realm) throws -> SharedCounter {
    try #require(realm.object(ofType: SharedCounter.self, forPrimaryKey: 1))
  }

  /// Lets two devices with the same counter of 10 write one after the other, both offline, and returns what both have when
  /// they are online again.
  private func merged(_ first: @escaping (SharedCounter) -> Void, _ second: @escaping (SharedCounter) -> Void)
    async throws -> [(Int, Int?)]
  {
    let directory = try WrittenApp(
      sync: #""development_mode_enabled":true"#,
      role: WrittenApp.openRole,
      schemas: [:]
    )
    var found: [(Int, Int?)] = []
    try await TestServer.run(app: directory.path) { server in
      let realms = [try await open(server, "first"), try await open(server, "second")]
      try realms[0].write { realms[0].add(SharedCounter(value: ["_id": 1, "count": 10, "rounds": 1])) }
      try await realms[0].syncSession?.wait(for: .upload)
      try await realms[1].syncSession?.wait(for: .download)
      for (realm, change) in zip(realms, [first, second]) {
        realm.syncSession?.suspend()
        realm.refresh()
        try realm.write { change(try counter(realm)) }
        // The clock that decides which of two changes is the later one has milliseconds.
        try await _Concurrency.Task.sleep(for: .milliseconds(20))
      }
      for realm in realms { realm.syncSession?.resume() }
      for realm in realms { try await realm.syncSession?.wait(for: .upload) }
      for realm in realms {
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        found.append((try counter(realm).count, try counter(realm).rounds))
      }
    }
    return found
  }

  private func expect(_ found: [(Int, Int?)], count: Int, rounds: Int?) {
    #expect(found.map(\.0) == [count, count] && found.map(\.1) == [rounds, rounds], "\(found)")
  }

  @Test func additionsOfSeveralDevicesAddUp() async throws {
    let found = try await merged {
      $0.increment(\.count, by: 5)
      $0.increment(\.count)
      $0.increment(\.rounds, by: 3)
    } _: {
      $0.increment(\.count, by: -2)
      $0.increment(\.rounds)
    }
    expect(found, count: 14, rounds: 5)
  }

  @Test func anAdditionAfterASettingIsAddedToIt() async throws {
    let found = try await merged {
      $0.count = 100
      $0.rounds = nil
    } _: {
      $0.increment(\.count, by: 5)
      $0.increment(\.rounds, by: 5)
    }
    expect(found, count: 105, rounds: nil)
  }

  @Test func aSettingAfterAnAdditionReplacesIt() async throws {
    let found = try await merged {
      $0.increment(\.count, by: 5)
    } _: {
      $0.count = 100
    }
    expect(found, count: 100, rounds: 1)
  }

  @Test func settingTheValueThatAPropertyHasIsAChange() async throws {
    let found = try await merged {
      $0.count = 100
    } _: {
      $0.count = 10
    }
    expect(found, count: 10, rounds: 1)
  }

  @Test func sumsThatAreSetDoNotAddUp() async throws {
    let found = try await merged {
      $0.count += 5
    } _: {
      $0.count += 7
    }
    expect(found, count: 17, rounds: 1)
  }
}
