// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import FlexSyncOpenCombine
import Foundation
import OpenCombine
import OpenCombineDispatch
import Synchronization
import Testing

class Task: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var taskName: String
  @Persisted var assignee: String?
  @Persisted var completed: Bool
  @Persisted var progressMinutes: Int
  @Persisted var dueDate: Date
}

/// Futures and publishers of apps, users and sessions, with a server in a process of its own.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SyncPublisherTests {
  private let folder: TemporaryFolder
  private let log = Log()

  init() throws { folder = try TemporaryFolder() }

  /// Waits for the only value of a publisher.
  private func value<P: Publisher>(_ publisher: P) async throws -> P.Output where P.Output: Sendable {
    let results = Mutex<[Result<P.Output, any Error>]>([])
    let subscription = publisher.sink { @Sendable completion in
      if case .failure(let error) = completion { results.withLock { $0.append(.failure(error)) } }
    } receiveValue: { @Sendable value in
      results.withLock { $0.append(.success(value)) }
    }
    try await eventually("the end of the request") { !results.withLock(\.isEmpty) }
    withExtendedLifetime(subscription) {}
    return try results.withLock { $0[0] }.get()
  }

  @Test func requestsAreFutures() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let auth = app.emailPasswordAuth
      try await value(auth.registerUser(email: "ada@example.com", password: "password") as Future)
      let credentials = Credentials.emailPassword(email: "ada@example.com", password: "password")
      let user = try await value(app.login(credentials: credentials) as Future)
      #expect(app.currentUser == user)
      #expect(try await value(user.refreshCustomData() as Future).isEmpty)
      try await value(user.logOut() as Future)
      #expect(!user.isLoggedIn)
      _ = try await value(app.login(credentials: credentials) as Future)
      try await value(user.delete() as Future)
      await #expect(throws: (any Error).self) {
        try await value(app.login(credentials: credentials) as Future)
      }
      await #expect(throws: (any Error).self) {
        try await value(auth.confirmUser("token", tokenId: "id") as Future)
      }
    }
  }

  // Feature 8
  @Test func futuresAreChained() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let count = try await value(
        (app.login(credentials: .anonymous) as Future).flatMap { @Sendable user in
          Realm.asyncOpen(configuration: user.flexibleSyncConfiguration()).onProgressNotification { _ in }
        }.map { @Sendable realm in realm.objects(Task.self).count }
      )
      #expect(count == 0)
    }
  }

  @Test func appsAndUsersPublishTheirChanges() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let log = log
      var subscriptions = [
        app.objectWillChange.sink { app in log.add("app \(app.currentUser == nil ? "without" : "with") user")
        }
      ]
      let user = try await app.login(credentials: .anonymous)
      try await eventually { log.take() == ["app with user"] }
      subscriptions.append(user.objectWillChange.sink { user in log.add("user \(user.isLoggedIn)") })
      try await user.refreshCustomData()
      try await eventually { log.take() == ["user true"] }
      app.switch(to: user)
      try await eventually { log.take() == ["app with user"] }
      user.logOut { _ in }
      try await eventually { Set(log.all) == ["app without user", "user false"] }
      for subscription in subscriptions { subscription.cancel() }
      _ = try await app.login(credentials: .anonymous)
      #expect(log.all.count == 2)
    }
  }

  @Test func subscriptionsAreUpdated() async throws {
    try await TestServer.run { server in
      let user = try await server.app(folder).login(credentials: .anonymous)
      let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
      let set = realm.subscriptions
      try await value(set.updateSubscriptions { set.append(QuerySubscription<Task>(name: "all")) })
      #expect(realm.subscriptions.state == .complete && realm.subscriptions.first?.name == "all")
    }
  }

  // Feature 157
  @Test func sessionsPublishTheirConnectionState() async throws {
    try await TestServer.run { server in
      let user = try await server.app(folder).login(credentials: .anonymous)
      let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
      let session = try #require(realm.syncSession)
      let log = log
      try await eventually { session.connectionState == .connected }
      let subscription = session.publisher(for: \.connectionState).sink { @Sendable in log.add("\($0)") }
      session.suspend()
      try await eventually { log.all == ["connected", "disconnected"] }
      withExtendedLifetime(subscription) {}
    }
  }
}
