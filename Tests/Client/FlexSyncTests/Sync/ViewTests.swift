// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Pal: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var best: Pal?

  override class func _realmObjectName() -> String? { "Pal" }
}

/// What a device can tell about objects that its subscriptions do not bring.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct ViewTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// An app whose classes the devices declare.
  private func app() throws -> WrittenApp {
    try WrittenApp(sync: #""development_mode_enabled":true"#, role: WrittenApp.openRole, schemas: [:])
  }

  private func open(_ server: TestServer, _ device: String) async throws -> Realm {
    let app = server.app(folder, device: device)
    var configuration = try await app.login(credentials: .anonymous).flexibleSyncConfiguration()
    configuration.objectTypes = [Pal.self]
    return try await Realm(configuration: configuration)
  }

  private func subscribe(_ realm: Realm, _ condition: @escaping (Query<Pal>) -> Query<Bool>) async throws {
    let subscriptions = realm.subscriptions
    try await subscriptions.update { subscriptions.append(QuerySubscription<Pal>(query: condition)) }
  }

  @Test func aLinkOutOfTheViewIsToldFromOneThatIsNil() async throws {
    let directory = try app()
    try await TestServer.run(app: directory.path) { server in
      let writer = try await open(server, "writer")
      try await subscribe(writer) { $0._id > 0 }
      try writer.write {
        let best = writer.create(Pal.self, value: ["_id": 2])
        writer.create(Pal.self, value: ["_id": 1, "best": best])
      }
      try await writer.syncSession?.wait(for: .upload)

      let reader = try await open(server, "reader")
      try await subscribe(reader) { $0._id == 1 }
      let pal = try #require(reader.object(ofType: Pal.self, forPrimaryKey: 1))
      #expect(pal.best == nil)
      guard case .outOfView(.int(2)) = pal.linkState(of: \.best) else {
        Issue.record("the link is \(pal.linkState(of: \.best))")
        return
      }
      try await subscribe(reader) { $0._id == 2 }
      guard case .resolved(let best) = pal.linkState(of: \.best) else {
        Issue.record("the link is \(pal.linkState(of: \.best))")
        return
      }
      guard case .null = best.linkState(of: \.best) else {
        Issue.record("the link is \(best.linkState(of: \.best))")
        return
      }
    }
  }

  @Test func aDeletionOnAnotherDeviceMakesNilOnlyTheLinksThatItHad() async throws {
    let directory = try app()
    try await TestServer.run(app: directory.path) { server in
      let (writer, reader) = (try await open(server, "writer"), try await open(server, "reader"))
      for realm in [writer, reader] { try await subscribe(realm) { $0._id > 0 } }
      try writer.write {
        for key in [1, 3] {
          let best = writer.create(Pal.self, value: ["_id": key + 1])
          writer.create(Pal.self, value: ["_id": key, "best": best])
        }
      }
      try await writer.syncSession?.wait(for: .upload)
      let keeper = try await open(server, "keeper")
      try await subscribe(keeper) { $0._id == 4 }
      for (realm, key) in [(writer, 2), (keeper, 4)] {
        try realm.write { realm.delete(try #require(realm.object(ofType: Pal.self, forPrimaryKey: key))) }
        try await realm.syncSession?.wait(for: .upload)
      }
      try await reader.syncSession?.wait(for: .download)
      reader.refresh()
      let states = try [1, 3].map { key in
        try #require(reader.object(ofType: Pal.self, forPrimaryKey: key)).linkState(of: \.best)
      }
      guard case .null = states[0], case .outOfView(.int(4)) = states[1] else {
        Issue.record("the links are \(states)")
        return
      }
    }
  }

  @Test func aPredicateIsTheQueryOfASubscription() async throws {
    let directory = try app()
    try await TestServer.run(app: directory.path) { server in
      let realm = try await open(server, "device")
      let set = realm.subscriptions
      try await set.update {
        set.append(QuerySubscription<Pal>(name: "few", where: NSPredicate(format: "_id < %d", 2)))
      }
      try realm.write { realm.create(Pal.self, value: ["_id": 1]) }
      try await realm.syncSession?.wait(for: .upload)
      let found = set.first(ofType: Pal.self, where: NSPredicate(format: "_id < 2"))
      #expect(found?.name == "few")
      try await set.update { found?.updateQuery(to: NSPredicate(format: "_id > %@", argumentArray: [5])) }
      #expect(set.first(named: "few")?.queryString == "_id > 5" && realm.isEmpty)
      try await set.update { set.remove(ofType: Pal.self, where: NSPredicate(format: "_id > 5")) }
      #expect(set.count == 0)
    }
  }

  @Test func unsubscribingCanBeWaitedFor() async throws {
    let directory = try app()
    try await TestServer.run(app: directory.path) { server in
      let realm = try await open(server, "device")
      let pals = try await realm.objects(Pal.self).where { $0._id > 0 }.subscribe()
      try realm.write { realm.create(Pal.self, value: ["_id": 1]) }
      try await realm.syncSession?.wait(for: .upload)
      try await pals.unsubscribeAndWait()
      #expect(realm.objects(Pal.self).isEmpty)
      #expect(realm.subscriptions.count == 0)
      try await pals.unsubscribeAndWait()
    }
  }

  @Test func resultsAndSubscriptionsTellWhetherTheyAreComplete() async throws {
    let directory = try app()
    try await TestServer.run(app: directory.path) { server in
      let realm = try await open(server, "device")
      let pals = realm.objects(Pal.self)
      #expect(pals.completeness == .incomplete)
      try await subscribe(realm) { $0._id > 0 }
      let positive = pals.where { $0._id > 0 }
      guard case .complete(let version) = positive.completeness else {
        Issue.record("the results are \(positive.completeness)")
        return
      }
      #expect(realm.subscriptions.first?.completeness == .complete(asOf: version))
      #expect(positive.where { $0.best == nil }.completeness == .complete(asOf: version))
      #expect(pals.completeness == .incomplete)

      let frozen = positive.freeze()
      let writer = try await open(server, "writer")
      try await subscribe(writer) { $0._id > 0 }
      try writer.write { _ = writer.create(Pal.self, value: ["_id": 1]) }
      try await writer.syncSession?.wait(for: .upload)
      try await realm.syncSession?.wait(for: .download)
      realm.refresh()
      guard case .complete(let later) = positive.completeness else {
        Issue.record("the results are \(positive.completeness)")
        return
      }
      #expect(later > version)
      #expect(positive.count == 1)
      #expect(
        frozen.completeness == .complete(asOf: version),
        "a frozen realm keeps its version of the server, too"
      )
    }
  }
}
