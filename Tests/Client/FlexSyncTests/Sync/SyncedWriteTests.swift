// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

/// The story of the documentation's page "Write Data to a Synced Realm", with its app, its model and its messages.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SyncedWriteTests {
  private let folder: TemporaryFolder
  private let errors = ErrorBox()

  init() throws { folder = try TemporaryFolder() }

  /// Collects what the error handler gets.
  private final class ErrorBox: Sendable {
    private let errors = Mutex<[SyncError]>([])

    var all: [SyncError] { errors.withLock { $0 } }

    func add(_ error: any Error) {
      if let error = error as? SyncError { errors.withLock { $0.append(error) } }
    }
  }

  private func logIn(_ device: String, _ server: TestServer) async throws -> User {
    let app = App(
      id: TestServer.appID,
      configuration: AppConfiguration(baseURL: server.url, storageDirectory: folder.file(device))
    )
    let errors = errors
    app.syncManager.errorHandler = { error, _ in errors.add(error) }
    return try await app.login(credentials: .anonymous)
  }

  private func open(
    _ user: User,
    file: String? = nil,
    _ condition: @escaping (Query<Item>) -> Query<Bool> = { $0.complexity <= 4 }
  ) async throws -> Realm {
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Item.self]
    if let file { configuration.fileURL = folder.file(file) }
    let realm = try await Realm(configuration: configuration)
    let subscriptions = realm.subscriptions
    try await subscriptions.update { subscriptions.append(QuerySubscription<Item>(query: condition)) }
    return realm
  }

  private func openLocally() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(fileURL: folder.file("local.realm"), objectTypes: [Item.self])
    )
  }

  private func add(_ item: Item, to realm: Realm) throws -> ObjectId {
    let id = item._id
    try realm.write { realm.add(item) }
    return id
  }

  private func names(_ realm: Realm) -> [String] {
    realm.refresh()
    return realm.objects(Item.self).map(\.itemName).sorted()
  }

  private func rejection(_ count: Int) async throws -> SyncError {
    try await eventually("error \(count)") { errors.all.count == count }
    return try #require(errors.all.last)
  }

  /// What the documentation's error handler prints.
  private func printed(_ error: SyncError) -> [String] {
    (error.compensatingWriteInfo ?? []).map { info in
      """
      A write was rejected with a compensating write error
      The write to object type: \(String(describing: info.objectType))
      With primary key of: \(info.primaryKey)
      Was rejected because: \(String(describing: info.reason))
      """
    }
  }

  private func expectedPrint(_ id: ObjectId, _ reason: String) -> String {
    """
    A write was rejected with a compensating write error
    The write to object type: Optional("Item")
    With primary key of: objectId(\(id))
    Was rejected because: Optional(\(String(reflecting: reason)))
    """
  }

  private func outOfView(_ id: ObjectId) -> String {
    "write to \"\(id)\" in table \"Item\" not allowed; object is outside of the current query view"
  }

  private func denied(_ id: ObjectId) -> String {
    "write to \"\(id)\" in table \"Item\" not allowed"
  }

  /// As the operator is told it.
  private func deniedByRole(_ id: ObjectId) -> String {
    "write to \"\(id)\" in table \"Item\" was denied by write filter in role \"owner-read-write\""
  }

  // Feature 122, 123, 124, 127, 130, 131, 132, 134, 135, 137, 159
  @Test func writesOutsideOfSubscriptionAndPermissionsAreTakenBackWithTheDocumentedWords() async throws {
    let app = try ItemApp()
    try await TestServer.run(app: app.path) { server in
      let user = try await logIn("device", server)
      let realm = try await open(user)
      _ = try add(Item("legal", owner: user.id, complexity: 4), to: realm)
      let complex = try add(Item("too complex", owner: user.id, complexity: 7), to: realm)
      #expect(realm.objects(Item.self).count == 2, "at first it succeeds")
      var error = try await rejection(1)
      #expect(error.code == .writeRejected && !error.isFatal)
      #expect(
        error.message
          == "Client attempted a write that is outside of permissions or query filters; it has been reverted"
      )
      #expect(printed(error) == [expectedPrint(complex, outOfView(complex))])
      #expect(names(realm) == ["legal"])

      let foreign = try add(Item("of somebody else", owner: "not me", complexity: 1), to: realm)
      error = try await rejection(2)
      #expect(printed(error) == [expectedPrint(foreign, denied(foreign))])
      #expect(names(realm) == ["legal"])

      _ = try add(Item("later", owner: user.id, complexity: 0), to: realm)
      try await realm.syncSession?.wait(for: .upload)
      #expect(realm.syncSession?.state == .active && errors.all.count == 2)
      #expect(names(realm) == ["later", "legal"])

      // What the operator finds.
      try await eventually("the records") { try server.logs("--errors").count == 2 }
      let lines = try server.logs("--errors", "--user", user.id, "--json")
      let records = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      #expect(
        records.map { $0?["error"] as? String } == ["ErrorCompensatingWrite", "ErrorCompensatingWrite"]
      )
      #expect(records.allSatisfy { $0?["user"] as? String == user.id })
      #expect(
        records.map { $0?["writes"] as? [String: [String: String]] } == [
          ["Item": ["\(complex)": outOfView(complex)]], ["Item": ["\(foreign)": deniedByRole(foreign)]],
        ]
      )
      let other = try await logIn("other device", server)
      #expect(try server.logs("--errors", "--user", other.id).isEmpty)
      #expect(throws: (any Error).self) { _ = try server.logs("--errors", "--user", "nobody") }
      let text = try server.logs("--errors")
      #expect(text.count == 2)
      #expect(text.last?.contains("ErrorCompensatingWrite") == true)
    }
  }

  // Feature 136, 160
  @Test func theClientsLogHasTheErrorAsTheDocumentationShowsIt() async throws {
    let app = try ItemApp()
    let lines = Mutex<[String]>([])
    let before = Logger.shared
    defer { Logger.shared = before }
    try await TestServer.run(app: app.path) { server in
      let user = try await logIn("device", server)
      let realm = try await open(user)
      let collected = LineBox()
      Logger.shared = Logger(level: .info) { _, line in collected.add(line) }
      _ = try add(Item("too complex", owner: user.id, complexity: 7), to: realm)
      _ = try await rejection(1)
      lines.withLock { $0 = collected.all }
    }
    let pattern =
      #/Sync: Connection\[\d+\]: Session\[\d+\]: Received: ERROR "Client attempted a write that is outside of permissions or query filters; it has been reverted" \(error_code=231, try_again=true, error_action=Warning\)/#
    #expect(lines.withLock { $0 }.contains { $0.contains(pattern) }, "\(lines.withLock { $0 })")
  }

  private final class LineBox: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  // Feature 14, 123, 125, 126, 138
  @Test func whatIsWrittenReachesTheUsersOtherDevicesAndNobodyElse() async throws {
    let app = try ItemApp()
    try await TestServer.run(app: app.path) { server in
      let user = try await logIn("device", server)
      let stranger = try await logIn("stranger", server)
      let realm = try await open(user)
      let other = try await open(stranger) { $0.complexity >= 0 }
      _ = try add(Item("mine", owner: user.id, complexity: 4), to: realm)
      _ = try add(Item("yours", owner: stranger.id, complexity: 1), to: other)
      for realm in [realm, other] { try await realm.syncSession?.wait(for: .upload) }
      // A write outside of the subscription goes to a realm with another one, or to one that is not synced.
      let complex = try await open(user, file: "complex.realm") { $0.complexity > 4 }
      _ = try add(Item("complex", owner: user.id, complexity: 7), to: complex)
      try await complex.syncSession?.wait(for: .upload)
      let local = try openLocally()
      _ = try add(Item("local", owner: "anybody", complexity: 99), to: local)
      let second = try await open(user, file: "second.realm") { $0.complexity >= 0 }
      #expect(names(second) == ["complex", "mine"])
      for realm in [realm, other, complex] { try await realm.syncSession?.wait(for: .download) }
      #expect(names(realm) == ["mine"])
      #expect(names(other) == ["yours"])
      #expect(names(complex) == ["complex"])
      #expect(names(local) == ["local"])
      #expect(errors.all.isEmpty)
    }
  }
}
