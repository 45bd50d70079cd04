// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// The users of an app on a device, with a server in a process of its own.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct UserTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func register(_ app: App, _ name: String) async throws -> Credentials {
    try await app.emailPasswordAuth.registerUser(email: "\(name)@example.com", password: "password")
    return .emailPassword(email: "\(name)@example.com", password: "password")
  }

  @Test func severalUsersAreOnADevice() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let ada = try await app.login(credentials: try await register(app, "ada"))
      let bob = try await app.login(credentials: try await register(app, "bob"))
      #expect(app.currentUser == bob)
      #expect(app.allUsers == [ada.id: ada, bob.id: bob])
      #expect(app.switch(to: ada) == ada)
      #expect(app.currentUser == ada)
      try await ada.logOut()
      #expect(ada.state == .loggedOut && app.currentUser == bob)
      try await bob.remove()
      #expect(bob.state == .removed && app.currentUser == nil)
      #expect(Array(app.allUsers.keys) == [ada.id])
    }
  }

  // Feature 4
  @Test func aUserHasIdentityAndProfileAlsoAfterARestart() async throws {
    try await TestServer.run { server in
      func check(_ user: User?) throws {
        let user = try #require(user)
        #expect(user.identities.map(\.providerType) == ["local-userpass"])
        #expect(user.profile.email == "ada@example.com")
        #expect(user.profile.metadata["email"] == .string("ada@example.com"))
        #expect(user.profile.name == nil)
        #expect(user.customData.isEmpty)
      }
      do {
        let app = server.app(folder)
        try check(try await app.login(credentials: try await register(app, "ada")))
      }
      try check(server.app(folder).currentUser)
    }
  }

  @Test func anAnonymousUserIsReusedUntilLoggedOut() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let first = try await app.login(credentials: .anonymous)
      #expect(try await app.login(credentials: .anonymous) == first)
      try await first.logOut()
      #expect(first.state == .removed && app.allUsers.isEmpty)
      #expect(try await app.login(credentials: .anonymous) != first)
    }
  }

  @Test func aDeletedUserCannotLogInAnyMore() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let credentials = try await register(app, "ada")
      let user = try await app.login(credentials: credentials)
      try await user.delete()
      #expect(user.state == .removed && app.currentUser == nil)
      await #expect { try await app.login(credentials: credentials) } throws: { error in
        AppError.invalidPassword ~= error
      }
    }
  }

  @Test func errorsSayWhatTheServerSays() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      _ = try await register(app, "ada")
      let error = await #expect(throws: AppError.self) { try await register(app, "ada") }
      #expect(error?.code == .accountNameInUse)
      #expect(error?.httpStatusCode == 409)
      #expect(error?.serverCode == "AccountNameInUse")
      for credentials in [
        Credentials.google(serverAuthCode: "x"), .googleId(token: "x"), .apple(idToken: "x"),
        .facebook(accessToken: "x"), .function(payload: ["name": "ada", "age": 5]),
      ] {
        let error = await #expect(throws: AppError.self) { try await app.login(credentials: credentials) }
        #expect(error?.code == .authProviderNotFound, "\(credentials)")
      }
      #expect(app.currentUser == nil)
    }
  }

  @Test func completionsTellTheSame() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let failure = await withCheckedContinuation { continuation in
        app.emailPasswordAuth.registerUser(email: "ada@example.com", password: "password") {
          continuation.resume(returning: $0)
        }
      }
      #expect(failure == nil)
      let result: Result<User, any Error> = await withCheckedContinuation { continuation in
        app.login(credentials: .emailPassword(email: "ada@example.com", password: "password")) {
          continuation.resume(returning: $0)
        }
      }
      let user = try result.get()
      let customData: Result<Document, any Error> = await withCheckedContinuation { continuation in
        user.refreshCustomData { continuation.resume(returning: $0) }
      }
      #expect(try customData.get().isEmpty)
      let ended = await withCheckedContinuation { continuation in
        user.delete { continuation.resume(returning: $0) }
      }
      #expect(ended == nil && user.state == .removed)
    }
  }
}
