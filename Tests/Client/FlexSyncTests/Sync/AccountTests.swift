// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

/// Linking, API keys, tokens, mails and custom data, with a server in a process of its own.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct AccountTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let ada = Credentials.emailPassword(email: "ada@example.com", password: "password")

  private func registerAda(_ app: App) async throws {
    try await app.emailPasswordAuth.registerUser(email: "ada@example.com", password: "password")
  }

  @Test func anAnonymousUserLinksAnAddressAndComesBack() async throws {
    let directory = try AccountsApp()
    try await TestServer.run(app: directory.path) { server in
      let app = server.app(folder)
      let user = try await app.login(credentials: .anonymous)
      try await registerAda(app)
      #expect(try await user.linkUser(credentials: ada) == user)
      #expect(user.identities.map(\.providerType) == ["anon-user", "local-userpass"])
      #expect(user.profile.email == "ada@example.com")
      try await user.logOut()
      #expect(user.state == .loggedOut)
      #expect(try await app.login(credentials: ada) == user)
      let other = try await app.login(credentials: .anonymous)
      #expect(other != user)
      await #expect(throws: AppError.self, "the address belongs to the other user") {
        try await other.linkUser(credentials: ada)
      }
      #expect(other.isLoggedIn)
    }
  }

  @Test func aProgramLogsInWithAKeyUntilItIsDisabled() async throws {
    let directory = try AccountsApp()
    try await TestServer.run(app: directory.path) { server in
      let app = server.app(folder)
      try await registerAda(app)
      let user = try await app.login(credentials: ada)
      let key = try await user.apiKeysAuth.createAPIKey(named: "laptop")
      let secret = try #require(key.key)
      let laptop = try await server.app(folder, device: "laptop").login(credentials: .userAPIKey(secret))
      #expect(laptop.id == user.id)

      let keys = user.apiKeysAuth
      try await keys.disableAPIKey(key.objectId)
      #expect(try await keys.fetchAPIKey(key.objectId).disabled)
      #expect(try await keys.fetchAPIKeys().map(\.name) == ["laptop"])
      await #expect {
        try await server.app(folder, device: "tablet").login(credentials: .userAPIKey(secret))
      } throws: {
        AppError.authError ~= $0
      }
      try await keys.enableAPIKey(key.objectId)
      _ = try await server.app(folder, device: "tablet").login(credentials: .userAPIKey(secret))
      await #expect { try await keys.createAPIKey(named: "laptop") } throws: {
        AppError.apiKeyAlreadyExists ~= $0
      }
      try await keys.deleteAPIKey(key.objectId)
      await #expect { try await keys.fetchAPIKey(key.objectId) } throws: { error in
        (error as? AppError)?.code == .apiKeyNotFound
      }
      let all: Result<[UserAPIKey], any Error> = await withCheckedContinuation { continuation in
        keys.fetchAPIKeys { continuation.resume(returning: $0) }
      }
      #expect(try all.get().isEmpty)
    }
  }

  @Test func aTokenOfAnotherSystemTellsWhoLogsIn() async throws {
    let directory = try AccountsApp()
    try await TestServer.run(app: directory.path) { server in
      let app = server.app(folder)
      let user = try await app.login(credentials: .jwt(token: AccountsApp.token))
      #expect(user.identities == [UserIdentity(providerType: "custom-token", identifier: "carol")])
      #expect(user.profile.name == "Carol")
      await #expect { try await app.login(credentials: .jwt(token: AccountsApp.token + "A")) } throws: {
        AppError.authError ~= $0
      }
      #expect(app.currentUser == user)
    }
  }

  @Test func customDataAreRefreshedAndKnownWithoutAConnection() async throws {
    let directory = try AccountsApp()
    let device = folder.file("device")
    let configuration = AppConfiguration(storageDirectory: device)
    try await TestServer.run(app: directory.path) { server in
      configuration.baseURL = server.url
      let app = server.app(folder)
      try await registerAda(app)
      let user = try await app.login(credentials: ada)
      #expect(user.customData.isEmpty)
      let file = folder.file("data.json")
      try #"{"favouriteColour": "pink", "age": {"$numberInt": "36"}}"#
        .write(to: file, atomically: true, encoding: .utf8)
      try server.administerUsers("set-custom-data", user.id, "--file", file.path)
      #expect(user.customData.isEmpty, "it is as old as the access token")
      let data = try await user.refreshCustomData()
      #expect(data["favouriteColour"] == .string("pink"))
      #expect((data["age"] ?? nil)?.asInt() == 36)
      #expect(user.customData == data)
    }
    let user = try #require(App(id: TestServer.appID, configuration: configuration).currentUser)
    #expect(user.customData["favouriteColour"] == .string("pink"))
  }

  /// The newest mail of a server, and what it is about.
  private func mail(_ server: TestServer, _ type: String) async throws -> (token: String, tokenID: String) {
    var found: [String: Any]?
    try await eventually("the \(type) mail") {
      let files = try? FileManager.default.contentsOfDirectory(
        at: server.mails,
        includingPropertiesForKeys: nil
      )
      let mails = (files ?? []).compactMap { file in
        (try? Data(contentsOf: file)).flatMap {
          try? JSONSerialization.jsonObject(with: $0) as? [String: Any]
        }
      }
      found = mails.first { $0["type"] as? String == type }
      return found != nil
    }
    return (
      try #require(found?["token"] as? String), try #require(found?["token_id"] as? String)
    )
  }

  @Test func mailsConfirmAnAccountAndResetItsPassword() async throws {
    let directory = try AccountsApp(confirmsAutomatically: false)
    try await TestServer.run(app: directory.path) { server in
      let app = server.app(folder)
      let auth = app.emailPasswordAuth
      try await registerAda(app)
      await #expect(throws: AppError.self) { try await app.login(credentials: ada) }
      let confirmation = try await mail(server, "confirmation")
      await #expect(throws: AppError.self) {
        try await auth.confirmUser("nonsense", tokenId: confirmation.tokenID)
      }
      try await auth.confirmUser(confirmation.token, tokenId: confirmation.tokenID)
      let user = try await app.login(credentials: ada)

      try await auth.sendResetPasswordEmail("ada@example.com")
      let reset = try await mail(server, "password-reset")
      try await auth.resetPassword(to: "another password", token: reset.token, tokenId: reset.tokenID)
      await #expect { try await user.refreshCustomData() } throws: { AppError.invalidSession ~= $0 }
      #expect(user.state == .loggedOut, "whoever knew the old password is logged out")
      await #expect { try await app.login(credentials: ada) } throws: { AppError.invalidPassword ~= $0 }
      let credentials = Credentials.emailPassword(email: "ada@example.com", password: "another password")
      #expect(try await app.login(credentials: credentials) == user)
      await #expect {
        try await auth.callResetPasswordFunction(
          email: "ada@example.com",
          password: "password",
          args: [1, "x"]
        )
      } throws: {
        (($0 as? AppError)?.code) == .functionNotFound
      }
    }
  }

  @Test func aDisabledUserIsLoggedOutAndTheSessionSaysSo() async throws {
    let directory = try AccountsApp()
    try await TestServer.run(app: directory.path) { server in
      let app = server.app(folder)
      let errors = Mutex<[SyncError]>([])
      app.syncManager.errorHandler = { error, _ in
        if let error = error as? SyncError { errors.withLock { $0.append(error) } }
      }
      try await registerAda(app)
      let user = try await app.login(credentials: ada)
      var configuration = user.flexibleSyncConfiguration()
      configuration.objectTypes = [Task.self, Team.self]
      let realm = try await Realm(configuration: configuration)
      try await realm.syncSession?.wait(for: .download)
      try server.administerUsers("disable", user.id)
      try await eventually("the error") { errors.withLock { $0.contains { $0.code == .clientUserError } } }
      #expect(user.state == .loggedOut)
      #expect(realm.syncSession?.state == .inactive)
      await #expect { try await app.login(credentials: ada) } throws: { AppError.userDisabled ~= $0 }
      try server.administerUsers("enable", user.id)
      #expect(try await app.login(credentials: ada) == user)
      try await realm.syncSession?.wait(for: .download)
    }
  }
}
