// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

/// Client resets by a server that was restored from a backup, as an app sees them.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct ClientResetTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ mode: ClientResetMode, _ server: TestServer) async throws -> Realm {
    let app = server.app(folder)
    let user = try await app.login(credentials: .anonymous)
    var realmConfiguration = user.flexibleSyncConfiguration(clientResetMode: mode)
    realmConfiguration.objectTypes = [Task.self, Team.self]
    let realm = try await Realm(configuration: realmConfiguration)
    let subscriptions = realm.subscriptions
    try await subscriptions.update { subscriptions.append(QuerySubscription<Task>()) }
    return realm
  }

  /// Brings a reset about: what the device writes first is in the backup, what it writes last is not uploaded.
  private func reset(_ realm: Realm, _ server: TestServer) async throws {
    let session = try #require(realm.syncSession)
    try realm.write { realm.add(Task("common", minutes: 1)) }
    try await session.wait(for: .upload)
    session.suspend()
    try server.backUp()
    session.resume()
    try realm.write { realm.add(Task("lost", minutes: 2)) }
    try await session.wait(for: .upload)
    try await session.wait(for: .download)
    session.suspend()
    try realm.write { realm.add(Task("offline", minutes: 3)) }
    try server.restore()
    session.resume()
  }

  private func names(_ realm: Realm) -> [String] {
    realm.objects(Task.self).sorted(by: \.progressMinutes).map(\.taskName)
  }

  // Feature 161
  @Test func changesAreRecoveredAndTheBlocksSeeBothStates() async throws {
    try await TestServer.run { server in
      let seen = Mutex<[[String]]>([])
      let mode = ClientResetMode.recoverUnsyncedChanges { before in
        let names = Array(before.objects(Task.self).map(\.taskName)).sorted()
        seen.withLock { $0.append(names) }
      } afterReset: { before, after in
        let names = [before, after].map { Array($0.objects(Task.self).map(\.taskName)).sorted() }
        seen.withLock { $0 += names }
      }
      let realm = try await open(mode, server)
      try await reset(realm, server)
      try await eventually("the reset") {
        realm.refresh()
        return names(realm) == ["common", "offline"]
      }
      try await realm.syncSession?.wait(for: .upload)
      let before = ["common", "lost", "offline"]
      #expect(seen.withLock { $0 } == [before, before, ["common", "offline"]])
    }
  }

  // Feature 161
  @Test func aManualHandlerCanStartTheFileAnewAtOnce() async throws {
    try await TestServer.run { server in
      let received = Mutex<SyncError?>(nil)
      let mode = ClientResetMode.manual { error, _ in received.withLock { $0 = error as? SyncError } }
      var realm: Realm? = try await open(mode, server)
      let configuration = try #require(realm?.configuration)
      let manager = try #require(configuration.syncConfiguration?.user.app.syncManager)
      try await reset(try #require(realm), server)
      try await eventually("the error") { received.withLock { $0 } != nil }
      let error = try #require(received.withLock { $0 })
      #expect(error.code == .clientResetError)
      let (path, token) = try #require(error.clientResetInfo())
      realm = nil
      SyncSession.immediatelyHandleError(token, syncManager: manager)
      #expect(FileManager.default.fileExists(atPath: path))
      #expect(!Realm.fileExists(for: configuration))
      let again = try await open(mode, server)
      #expect(names(again) == ["common"])
    }
  }
}
