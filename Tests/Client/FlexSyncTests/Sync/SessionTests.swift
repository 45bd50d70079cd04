// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSync
import Foundation
import Synchronization
import Testing

/// Sessions of users, opening, and what partition-based sync and push messages answer.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SessionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ server: TestServer, cancels: Bool = false) async throws -> Realm.Configuration
  {
    let user = try await server.app(folder).login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(
      cancelAsyncOpenOnNonFatalErrors: cancels,
      initialSubscriptions: { $0.append(QuerySubscription<Task>()) },
      rerunOnOpen: true
    )
    configuration.objectTypes = [Task.self, Team.self]
    return configuration
  }

  @Test func aUserHasTheSessionsOfItsOpenRealms() async throws {
    try await TestServer.run { server in
      let configuration = try await configuration(server)
      let user = try #require(configuration.syncConfiguration?.user)
      #expect(user.allSessions.isEmpty)
      var session: SyncSession?
      do {
        let realm = try await Realm(configuration: configuration)
        session = user.allSessions.first
        #expect(session?.parentUser() == user && session?.configuration()?.user == user)
        #expect(session?.state == .active)
        #expect(user.session(forPartitionValue: "x") == nil)
        try await realm.syncSession?.wait(for: .download)
      }
      #expect(user.allSessions.isEmpty)
      #expect(session?.state == .invalid && session?.parentUser() == nil && session?.configuration() == nil)
    }
  }

  @Test func aConfigurationTellsItsOptions() async throws {
    try await TestServer.run { server in
      let sync = try await configuration(server, cancels: true).syncConfiguration
      #expect(sync?.cancelAsyncOpenOnNonFatalErrors == true && sync?.partitionValue == nil)
      #expect(sync?.initialSubscriptions?.rerunOnOpen == true)
    }
  }

  @Test func aWaitEndsOnItsQueue() async throws {
    try await TestServer.run { server in
      let realm = try await Realm(configuration: try await configuration(server))
      let queue = DispatchQueue(label: "waiting")
      let session = try #require(realm.syncSession)
      let error = await withCheckedContinuation { continuation in
        session.wait(for: .download, queue: queue) { error in
          dispatchPrecondition(condition: .onQueue(queue))
          continuation.resume(returning: error)
        }
      }
      #expect(error == nil)
    }
  }

  @Test func anOpeningTellsItsProgressAndDeliversOnAQueue() async throws {
    try await TestServer.run { server in
      let configuration = try await configuration(server)
      let queue = DispatchQueue(label: "opening")
      let progress = Mutex<[Double]>([])
      let count = await withCheckedContinuation { continuation in
        let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
          dispatchPrecondition(condition: .onQueue(queue))
          continuation.resume(returning: Result { try result.get().objects(Task.self).count })
        }
        task.addProgressNotification(queue: queue) { value in
          progress.withLock { $0.append(value.fractionTransferred) }
        }
      }
      #expect(try count.get() == 0)
      try await eventually("the last progress") { progress.withLock { $0.last == 1 } }
    }
  }

  @Test func anOpeningMayFailAtTheFirstError() async throws {
    try await TestServer.run { server in
      let configuration = try await configuration(server, cancels: true)
      server.stop()
      let error = await #expect(throws: SyncError.self) {
        _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      }
      #expect(error?.code == .connectionFailed)
    }
  }

  @Test func aPartitionCannotBeOpened() async throws {
    try await TestServer.run { server in
      let user = try await server.app(folder).login(credentials: .anonymous)
      let configuration = user.configuration(partitionValue: "project=1")
      #expect(configuration.syncConfiguration?.partitionValue == "project=1")
      #expect(user.configuration(partitionValue: .null).syncConfiguration?.partitionValue == .null)
      let error = #expect(throws: SyncError.self) { _ = try Realm(configuration: configuration) }
      #expect(error?.code == .clientSessionError)
      let converted = try #require(error) as NSError
      #expect(converted.domain == "io.realm.sync" && converted.code == SyncError.clientSessionError.rawValue)
      do {
        _ = try await Realm(configuration: configuration)
      } catch SyncError.writeRejected {
        Issue.record("another code")
      } catch SyncError.clientSessionError {
        // The code matches.
      }
      await #expect(throws: SyncError.self) {
        _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      }
      let result = await withCheckedContinuation { continuation in
        Realm.asyncOpen(configuration: configuration) { result in
          continuation.resume(returning: result.map { _ in () })
        }
      }
      #expect(throws: SyncError.self) { try result.get() }
    }
  }

  @Test func theServerHasNoFunctionsServicesAndPushMessages() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let user = try await app.login(credentials: .anonymous)
      let function = await #expect(throws: AppError.self) { try await user.functions.sum(1, 2) }
      #expect(function?.code == .functionNotFound && function?.httpStatusCode == 404)
      let collection = user.mongoClient("mongodb-atlas").database(named: "d").collection(withName: "c")
      let service = await #expect(throws: AppError.self) { try await collection.count(filter: [:]) }
      #expect(service?.serverCode == "ServiceNotFound")
      let push = app.pushClient(serviceName: "gcm")
      let refusal = await #expect(throws: AppError.self) {
        try await push.registerDevice(token: "token", user: user)
      }
      #expect(refusal?.serverCode == "ServiceNotFound")
      await #expect(throws: AppError.self) { try await push.deregisterDevice(user: user) }
    }
  }

  @Test func anAppMovesToAnotherServer() async throws {
    try await TestServer.run { server in
      try await TestServer.run { other in
        let app = server.app(folder)
        try await app.updateBaseUrl(to: other.url)
        #expect(app.baseURL == other.url && app.configuration.baseURL == server.url)
        _ = try await app.login(credentials: .anonymous)
        other.stop()
        let error = await withCheckedContinuation { continuation in
          app.updateBaseUrl(to: "http://127.0.0.1:1") { continuation.resume(returning: $0) }
        }
        #expect((error as? AppError)?.code == .connectionFailed)
        #expect(app.baseURL == other.url)
      }
    }
  }
}
