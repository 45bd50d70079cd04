// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Identities, profiles, custom data and the end of accounts.
@Suite struct AccountTests {
  let server: AccountServer
  let folder = TemporaryFolder()

  init() throws { server = try AccountServer() }

  private func makeApp() throws -> CApp { try CApp(url: server.url, folder: folder.path) }

  private func logIn(_ app: CApp, _ email: String = "ada") throws -> CUser {
    try app.register(email, "secret")
    return try app.logIn(email, "secret")
  }

  // MARK: Credentials

  @Test(arguments: [
    (flx_credentials_kind_t.FLX_CREDENTIALS_API_KEY, "api-key", "key"),
    (.FLX_CREDENTIALS_JWT, "custom-token", "token"),
    (.FLX_CREDENTIALS_APPLE, "oauth2-apple", "id_token"),
    (.FLX_CREDENTIALS_FACEBOOK, "oauth2-facebook", "accessToken"),
  ])
  func credentialsGoToTheirProvider(kind: flx_credentials_kind_t, provider: String, member: String) throws {
    let user = try makeApp().logIn(kind, "proof")
    #expect(user.id == "id-of-\(provider)")
    #expect(user.provider == provider)
    let body = try #require(server.body("POST \(provider)/login"))
    #expect(body["provider"] == .string(provider))
    #expect(body[member] == "proof")
    #expect(body["options"]?["device"]?["appId"] == "tasks")
  }

  @Test(arguments: [
    (flx_credentials_kind_t.FLX_CREDENTIALS_GOOGLE_AUTH_CODE, "authCode"),
    (.FLX_CREDENTIALS_GOOGLE_ID_TOKEN, "id_token"),
  ])
  func aProviderThatTheAppDoesNotHaveIsAnError(kind: flx_credentials_kind_t, member: String) throws {
    let app = try makeApp()
    let error = try #require(throws: CoreError.self) { try app.logIn(kind, "proof") }
    #expect(error.status == .authProviderNotFound)
    #expect(error.message.hasSuffix("no auth provider found: oauth2-google"))
    #expect(server.body("POST oauth2-google/login")?[member] == "proof")
    #expect(app.currentUser == nil)
  }

  @Test func aFunctionGetsThePayload() throws {
    let app = try makeApp()
    _ = try app.logIn(.FLX_CREDENTIALS_FUNCTION, #"{"name":"ada","options":1}"#)
    let body = try #require(server.body("POST custom-function/login"))
    #expect(body["name"] == "ada")
    #expect(body["options"]?["device"] != nil)
    let error = try #require(throws: CoreError.self) { try app.logIn(.FLX_CREDENTIALS_FUNCTION, "[]") }
    #expect(error.status == .invalidArgument)
  }

  @Test func aNewAnonymousUserCanBeHad() throws {
    let app = try makeApp()
    let first = try app.logInAnonymously()
    let second = try app.logIn(.FLX_CREDENTIALS_NEW_ANONYMOUS)
    #expect(first.id != second.id)
    #expect(app.userIDs == [first.id, second.id])
    #expect(app.currentUser?.id == second.id)
  }

  // MARK: Profile and custom data

  @Test func profileAndIdentitiesAreKnownWithoutAConnection() throws {
    do { _ = try logIn(try makeApp()) }
    let requests = server.count("")
    let user = try #require(try makeApp().currentUser)
    #expect(user.profile == #"{"name":"id-of-ada"}"#)
    #expect(user.identities == ["local-userpass id-of-ada-local-userpass"])
    #expect(user.provider == "local-userpass")
    #expect(server.count("") == requests)
  }

  @Test func aLoginWithoutProfileIsNone() throws {
    let app = try makeApp()
    server.state.withLock { $0.refusals = 1 }
    #expect(throws: CoreError.self) { try app.logInAnonymously() }
    #expect(app.userIDs.isEmpty)
  }

  @Test func customDataAreThoseOfTheNewestToken() throws {
    server.state.withLock { $0.customData = ["team": "red"] }
    do {
      let user = try logIn(try makeApp())
      #expect(user.customData == #"{"team":"red"}"#)
      server.state.withLock { $0.customData = ["team": "blue"] }
      try user.refreshCustomData()
      #expect(user.customData == #"{"team":"blue"}"#)
      server.state.withLock { $0.refreshStatus = 503 }
      #expect(throws: CoreError.self) { try user.refreshCustomData() }
    }
    let user = try #require(try makeApp().currentUser)
    #expect(user.customData == #"{"team":"blue"}"#, "they are known without a connection")
    try user.logOut()
    #expect(user.customData == nil)
    let error = try #require(throws: CoreError.self) { try user.refreshCustomData() }
    #expect(error.status == .userLoggedOut)
  }

  @Test func customDataThatTheTokenDoesNotHaveAnyMoreAreGone() throws {
    server.state.withLock { $0.customData = ["team": "red"] }
    let user = try logIn(try makeApp())
    server.state.withLock { $0.customData = nil }
    try user.refreshCustomData()
    #expect(user.customData == nil)
  }

  /// Readers of JSON give up on such documents.
  private static let tooDeep = (0..<300).reduce(into: JSON.integer(1)) { value, _ in
    value = .object([JSON.Member("a", value)])
  }

  @Test func customDataThatNestTooDeeplyAreLeftOut() throws {
    server.state.withLock { $0.customData = Self.tooDeep }
    #expect(try logIn(try makeApp()).customData == nil)
  }

  @Test func aProfileThatNestsTooDeeplyIsABadAnswer() throws {
    let app = try makeApp()
    server.state.withLock { $0.profile = Self.tooDeep }
    let error = try #require(throws: CoreError.self) { try app.logInAnonymously() }
    #expect(error.status == .badResponse)
    #expect(app.userIDs.isEmpty)
  }

  @Test func filesOfEarlierVersionsAreRead() throws {
    try FileSystem.makeFolder("\(folder.path)/tasks")
    let file = #"""
      {"version":1,"current":"x","users":
      [{"id":"x","provider":"anon-user","access_token":"a.b.c","refresh_token":"d.e.f"}]}
      """#
    try FileSystem.replace("\(folder.path)/tasks/users.json", with: Array(file.utf8))
    let app = try makeApp()
    let user = try #require(app.currentUser)
    #expect(user.identities.isEmpty && user.profile == "{}" && user.customData == nil)
    #expect(try app.logInAnonymously().id == "x", "it is an anonymous user")
  }

  // MARK: Linking

  @Test func aLinkedUserIsAnonymousNoMore() throws {
    let app = try makeApp()
    let user = try app.logInAnonymously()
    try app.register("ada", "secret")
    try user.link(.FLX_CREDENTIALS_EMAIL_PASSWORD, name: "ada", "secret")
    #expect(user.identities.map { $0.split(separator: " ")[0] } == ["anon-user", "local-userpass"])
    #expect(app.currentUser?.id == user.id)
    let link = "/api/client/v2.0/app/tasks/auth/providers/local-userpass/login?link=true"
    #expect(server.count("POST \(link) Bearer e30.") == 1)

    let other = try app.logInAnonymously()
    #expect(other.id != user.id, "an anonymous login gives another user")
    try user.logOut()
    #expect(user.state == .FLX_USER_LOGGED_OUT, "the user can come back")
    #expect(app.currentUser?.id == other.id)
  }

  @Test func linkingMakesTheUserTheCurrentOne() throws {
    let app = try makeApp()
    let (ada, bob) = (try logIn(app, "ada"), try logIn(app, "bob"))
    try ada.link(.FLX_CREDENTIALS_JWT, "proof")
    #expect(app.currentUser?.id == ada.id)
    #expect(bob.state == .FLX_USER_LOGGED_IN)
  }

  @Test func whatCannotBeLinkedIsRefused() throws {
    let app = try makeApp()
    let user = try logIn(app)
    let anonymous = try #require(throws: CoreError.self) { try user.link(.FLX_CREDENTIALS_ANONYMOUS, "") }
    #expect(anonymous.status == .invalidArgument)
    let wrong = try #require(throws: CoreError.self) {
      try user.link(.FLX_CREDENTIALS_EMAIL_PASSWORD, name: "ada", "wrong")
    }
    #expect(wrong.status == .invalidPassword)
    #expect(server.count("POST /api/client/v2.0/auth/session") == 0, "the token was not the reason")
    #expect(user.state == .FLX_USER_LOGGED_IN)
    try user.logOut()
    let loggedOut = try #require(throws: CoreError.self) { try user.link(.FLX_CREDENTIALS_JWT, "proof") }
    #expect(loggedOut.status == .userLoggedOut)
  }

  // MARK: Tokens of requests

  @Test func aRefusedAccessTokenIsRefreshedOnce() throws {
    let user = try logIn(try makeApp())
    server.state.withLock { $0.refusals = 1 }
    try user.link(.FLX_CREDENTIALS_JWT, "proof")
    #expect(server.count("POST /api/client/v2.0/auth/session") == 1)
    server.state.withLock { $0.refusals = 2 }
    let error = try #require(throws: CoreError.self) { try user.delete() }
    #expect(error.status == .invalidSession)
    #expect(server.count("POST /api/client/v2.0/auth/session") == 2)
    #expect(user.state == .FLX_USER_LOGGED_IN)
  }

  @Test func aUserWhoseLoginHasEndedIsLoggedOut() throws {
    let app = try makeApp()
    let user = try logIn(app)
    server.state.withLock {
      $0.refusals = 1
      $0.refreshStatus = 401
    }
    let error = try #require(throws: CoreError.self) { try user.link(.FLX_CREDENTIALS_JWT, "proof") }
    #expect(error.status == .invalidSession)
    #expect(user.state == .FLX_USER_LOGGED_OUT)
    #expect(app.currentUser == nil)
  }

  @Test func anAnonymousUserWhoseLoginHasEndedStaysUntilTheProgramRemovesIt() throws {
    let app = try makeApp()
    let user = try app.logInAnonymously()
    try FileSystem.makeFolder("\(folder.path)/tasks/\(user.id)/below")
    server.state.withLock { $0.refreshStatus = 401 }
    #expect(throws: CoreError.self) { try user.refreshCustomData() }
    #expect(user.state == .FLX_USER_LOGGED_OUT)
    #expect(FileSystem.exists("\(folder.path)/tasks/\(user.id)/below"))
    #expect(app.userIDs == [user.id] && app.currentUser == nil)
    try user.remove()
    #expect(user.state == .FLX_USER_REMOVED)
    #expect(!FileSystem.exists("\(folder.path)/tasks/\(user.id)"))
    let error = try #require(throws: CoreError.self) { try user.refreshCustomData() }
    #expect(error.status == .userNotFound)
    #expect(error.message.contains("was removed"))
  }

  // MARK: The end

  @Test func aDeletedUserIsForgotten() throws {
    let app = try makeApp()
    let user = try logIn(app)
    try FileSystem.makeFolder("\(folder.path)/tasks/\(user.id)/below")
    try user.delete()
    #expect(user.state == .FLX_USER_REMOVED)
    #expect(app.userIDs.isEmpty)
    #expect(app.currentUser == nil)
    #expect(try FileSystem.read("\(folder.path)/tasks/\(user.id)") == nil)
    #expect(server.count("DELETE /api/client/v2.0/auth/delete Bearer e30.") == 1)
    #expect(server.count("DELETE /api/client/v2.0/auth/session") == 0)
  }

  @Test func aUserWhoCannotBeDeletedStays() throws {
    let app = try makeApp()
    let user = try logIn(app)
    server.state.withLock { $0.nextError = (500, ["error": "no", "error_code": "InternalServerError"]) }
    #expect(throws: CoreError.self) { try user.delete() }
    #expect(user.state == .FLX_USER_LOGGED_IN)
  }

  @Test func aRemovedUserIsNotRemovedAgain() throws {
    let user = try logIn(try makeApp())
    try user.remove()
    let error = try #require(throws: CoreError.self) { try user.remove() }
    #expect(error.status == .userNotFound)
  }
}
