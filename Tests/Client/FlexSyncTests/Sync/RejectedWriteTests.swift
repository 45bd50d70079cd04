// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// What an app does with writes that the server does not take.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct RejectedWriteTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A realm that subscribes to tasks of ten minutes and more.
  private func open(
    on server: TestServer,
    refusing: Bool = false,
    handler: @escaping @Sendable (any Error) -> Void = { _ in }
  ) async throws -> Realm {
    let app = server.app(folder)
    app.syncManager.errorHandler = { error, _ in handler(error) }
    let user = try await app.login(credentials: .anonymous)
    var realmConfiguration = user.flexibleSyncConfiguration { subscriptions in
      subscriptions.append(QuerySubscription<Task> { $0.progressMinutes >= 10 })
    }
    realmConfiguration.objectTypes = [Task.self, Team.self]
    realmConfiguration.syncConfiguration?.refusesUnsubscribedObjects = refusing
    return try await Realm(configuration: realmConfiguration)
  }

  private func waitForRejections(_ count: Int, in realm: Realm) async throws {
    for _ in 0..<500 where realm.rejectedWrites.count != count {
      try await _Concurrency.Task.sleep(for: .milliseconds(20))
    }
    realm.refresh()
    #expect(realm.rejectedWrites.count == count)
  }

  @Test func theErrorPrintsAsInTheDocumentationOfRealm() async throws {
    try await TestServer.run { server in
      let (errors, continuation) = AsyncStream.makeStream(of: (any Error).self)
      let realm = try await open(on: server) { continuation.yield($0) }
      let task = Task("short", minutes: 5)
      let id = task._id
      try realm.write { realm.add(task) }
      var iterator = errors.makeAsyncIterator()
      let error = try #require(await iterator.next() as? SyncError)
      #expect(error.code == .writeRejected)
      #expect(!error.isFatal)
      let info = try #require(error.compensatingWriteInfo?.first)
      #expect(String(describing: info.objectType) == "Optional(\"Task\")")
      #expect("\(info.primaryKey)" == "objectId(\(id))")
      let reason =
        "write to \"\(id)\" in table \"Task\" not allowed; object is outside of the current query view"
      #expect(info.reason == reason)
      #expect(String(describing: info.reason).hasPrefix("Optional(\"write to "))
    }
  }

  @Test func aRejectedWriteIsResubmittedOrDiscarded() async throws {
    try await TestServer.run { server in
      let realm = try await open(on: server)
      let tasks = [Task("first", minutes: 5), Task("second", minutes: 6)]
      let ids = tasks.map(\._id)
      try realm.write { realm.add(tasks) }
      try await waitForRejections(2, in: realm)
      #expect(realm.objects(Task.self).isEmpty)
      let write = try #require(realm.rejectedWrites.first { $0.primaryKey == .objectId(ids[0]) })
      #expect(write.objectType == "Task" && write.state == .kept && write.hasChanges)
      try realm.write {
        try write.resubmit()
        realm.object(ofType: Task.self, forPrimaryKey: ids[0])?.progressMinutes = 50
      }
      try await realm.syncSession?.wait(for: .upload)
      try await waitForRejections(1, in: realm)
      #expect(realm.objects(Task.self).map(\.taskName) == ["first"])
      for write in realm.rejectedWrites { try write.discard() }
      #expect(realm.rejectedWrites.isEmpty)
      #expect(throws: Realm.Error.self) { try realm.write { try write.resubmit() } }
    }
  }

  @Test func rejectedWritesAreObserved() async throws {
    try await TestServer.run { server in
      let realm = try await open(on: server)
      var inserted: [String] = []
      var deletionCount = 0
      let token = realm.rejectedWrites.observe { change in
        guard case .update(let writes, let deletions, let insertions, _) = change else { return }
        inserted += insertions.map { writes[$0].reason }
        deletionCount += deletions.count
      }
      try realm.write { realm.add(Task("short", minutes: 5)) }
      // The realm refreshes by itself.
      try await eventually("the observer is told") { !inserted.isEmpty }
      #expect(inserted.count == 1)
      #expect(inserted[0].hasSuffix("object is outside of the current query view"))
      try realm.rejectedWrites.first?.discard()
      try await eventually("the observer is told") { deletionCount == 1 }
      token.invalidate()
    }
  }

  @Test func aWriteOutsideOfTheSubscriptionsIsRefusedAtOnceOnRequest() async throws {
    try await TestServer.run { server in
      let realm = try await open(on: server, refusing: true)
      let error = #expect(throws: SyncError.self) { try realm.write { realm.add(Task("short", minutes: 5)) } }
      #expect(error?.code == .writeRejected)
      #expect(error?.message.hasSuffix("not allowed; object is outside of the current query view") == true)
      #expect(realm.objects(Task.self).isEmpty)
      try realm.write { realm.add(Task("long", minutes: 10)) }
    }
  }
}
