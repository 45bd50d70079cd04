// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

/// Opening synced realms with callbacks, and the files of configurations.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The configuration of a device that subscribes to all tasks.
  private func configuration(_ device: String, _ server: TestServer) async throws -> Realm.Configuration {
    let user = try await server.app(folder, device: device).login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<Task>())
    })
    configuration.objectTypes = [Task.self, Team.self]
    return configuration
  }

  /// Puts tasks on the server.
  private func upload(_ names: [String], _ server: TestServer) async throws {
    let realm = try await Realm(configuration: configuration("author", server), downloadBeforeOpen: .once)
    try realm.write { for name in names { realm.add(Task(name)) } }
    try await realm.syncSession?.wait(for: .upload)
  }

  // Feature 142
  @Test func anAsynchronousOpenDeliversTheRealmWithWhatTheServerHas() async throws {
    try await TestServer.run { server in
      try await upload(["paint", "sand"], server)
      let configuration = try await configuration("reader", server)
      let names = await withCheckedContinuation { continuation in
        Realm.asyncOpen(configuration: configuration) { result in
          continuation.resume(
            returning: Result { try result.get().objects(Task.self).map(\.taskName).sorted() }
          )
        }
      }
      #expect(try names.get() == ["paint", "sand"])
    }
  }

  @Test func aCanceledOpenFailsOnce() async throws {
    try await TestServer.run { server in
      try await upload(["paint"], server)
      let configuration = try await configuration("reader", server)
      let errors = Mutex<[(any Error)?]>([])
      let task = Realm.asyncOpen(configuration: configuration) { result in
        errors.withLock { $0.append(result.error) }
      }
      task.cancel()
      task.cancel()
      try await eventually("the callback") { errors.withLock { !$0.isEmpty } }
      // The file keeps what has been downloaded, and can be opened all the same.
      let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      #expect(realm.objects(Task.self).map(\.taskName) == ["paint"])
      let all = errors.withLock { $0 }
      #expect(all.count == 1)
      let error = try #require(all[0] as NSError?)
      #expect(error.domain == NSPOSIXErrorDomain && error.code == Int(ECANCELED))
    }
  }

  @Test func lookingForAFileAndDeletingItKeepNothing() async throws {
    final class Marker: Sendable {}
    try await TestServer.run { server in
      let user = try await server.app(folder).login(credentials: .anonymous)
      weak var marker: Marker?
      do {
        let captured = Marker()
        marker = captured
        let configuration = user.flexibleSyncConfiguration(
          clientResetMode: .discardUnsyncedChanges(beforeReset: { _ in _ = captured }),
          initialSubscriptions: { _ in _ = captured }
        )
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
      }
      #expect(marker == nil)
    }
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
