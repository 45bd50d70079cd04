// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// What the operator changes about users of a running server, as their apps see it.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct LivePermissionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Owners see all tasks, others those of the name in their custom data.
  private static let rules = """
    {"roles": [
      {"name": "owner", "apply_when": {"%%user.custom_data.isOwner": true},
       "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true},
      {"name": "member", "apply_when": {},
       "document_filters": {"read": {"assignee": "%%user.custom_data.name"}, "write": false},
       "read": true, "write": false, "insert": false, "delete": false}]}
    """

  private func set(_ data: String, of user: User, on server: TestServer) throws {
    let file = folder.file("data.json")
    try data.write(to: file, atomically: true, encoding: .utf8)
    try server.administerUsers("set-custom-data", user.id, "--file", file.path)
  }

  private func logIn(_ device: String, on server: TestServer) async throws -> User {
    let configuration = AppConfiguration(baseURL: server.url, storageDirectory: folder.file(device))
    return try await App(id: TestServer.appID, configuration: configuration).login(credentials: .anonymous)
  }

  private func open(_ user: User) async throws -> Realm {
    var configuration = user.flexibleSyncConfiguration { subscriptions in
      subscriptions.append(QuerySubscription<Task>())
    }
    configuration.objectTypes = [Task.self, Team.self]
    return try await Realm(configuration: configuration)
  }

  // Feature 14
  @Test func customDataThatTheOperatorSetsChangeWhatALiveSessionSees() async throws {
    let directory = try AccountsApp(rules: Self.rules)
    try await TestServer.run(app: directory.path) { server in
      let owner = try await logIn("owner", on: server)
      try set(#"{"isOwner": true}"#, of: owner, on: server)
      let tasks = try await open(owner)
      try tasks.write {
        for name in ["ada", "bob"] { tasks.add(Task("task of \(name)", assignee: name)) }
      }
      try await tasks.syncSession?.wait(for: .upload)

      let user = try await logIn("member", on: server)
      let realm = try await open(user)
      let names = { @MainActor in
        realm.refresh()
        return realm.objects(Task.self).map(\.taskName).sorted()
      }
      #expect(names().isEmpty)
      try set(#"{"name": "ada"}"#, of: user, on: server)
      try await eventually("ada's task") { names() == ["task of ada"] }
      try set(#"{"name": "bob"}"#, of: user, on: server)
      try await eventually("bob's task in place of ada's") { names() == ["task of bob"] }
      try set(#"{"isOwner": true}"#, of: user, on: server)
      try await eventually("all tasks") { names().count == 2 }
      try set("{}", of: user, on: server)
      try await eventually("nothing") { names().isEmpty }
      #expect(realm.syncSession?.state == .active)
    }
  }
}
