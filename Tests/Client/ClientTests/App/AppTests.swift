// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct AppTests {
  let server: AccountServer
  let folder = TemporaryFolder()

  init() throws { server = try AccountServer() }

  private func makeApp(_ loopMode: flx_loop_mode_t = .FLX_LOOP_OWN_THREAD) throws -> CApp {
    try CApp(url: server.url, folder: folder.path, loopMode: loopMode)
  }

  // Feature 2
  @Test func theSameConfigurationGivesTheSameApp() throws {
    let (first, second) = (try makeApp(), try makeApp())
    #expect(first.handle == second.handle)
    #expect(flx_app_id(first.handle).text == "tasks")
  }

  // Feature 3
  @Test func aRegisteredUserLogsIn() throws {
    let app = try makeApp()
    try app.register("ada@example.com", "secret")
    let user = try app.logIn("ada@example.com", "secret")
    #expect(user.id == "id-of-ada@example.com")
    #expect(user.provider == "local-userpass")
    #expect(user.state == .FLX_USER_LOGGED_IN)
    #expect(user.accessToken?.hasPrefix("e30.") == true)
    #expect(app.currentUser?.id == user.id)
    #expect(server.count("GET /api/client/v2.0/app/tasks/location") == 1)
  }

  // Feature 3
  @Test func aWrongPasswordIsAnErrorAndTheCurrentUserStays() throws {
    let app = try makeApp()
    try app.register("ada@example.com", "secret")
    let user = try app.logIn("ada@example.com", "secret")
    let error = try #require(throws: CoreError.self) { try app.logIn("ada@example.com", "wrong") }
    #expect(error.status == .invalidPassword)
    #expect(error.code == 401)
    #expect(error.message.hasSuffix("invalid username/password"))
    #expect(app.currentUser?.id == user.id)
  }

  @Test func aNameCanBeRegisteredOnce() throws {
    let app = try makeApp()
    try app.register("ada@example.com", "secret")
    let error = try #require(throws: CoreError.self) { try app.register("ada@example.com", "other") }
    #expect(error.status == .accountNameInUse)
  }

  @Test func anUnknownAppIsAnError() throws {
    let app = try CApp(url: server.url, folder: folder.path, id: "other")
    let error = try #require(throws: CoreError.self) { try app.logInAnonymously() }
    #expect(error.status == .appNotFound)
  }

  @Test func anUnreachableServerIsAnError() throws {
    let app = try CApp(url: "http://127.0.0.1:1", folder: folder.path)
    let error = try #require(throws: CoreError.self) { try app.logInAnonymously() }
    #expect(error.status == .connectionFailed)
  }

  // Feature 4, 5, 165
  @Test func usersSurviveTheProcess() throws {
    do {
      let app = try makeApp()
      try app.register("ada@example.com", "secret")
      _ = try app.logIn("ada@example.com", "secret")
    }
    let requests = server.count("")
    let app = try makeApp()
    let user = try #require(app.currentUser)
    #expect(user.id == "id-of-ada@example.com")
    #expect(user.state == .FLX_USER_LOGGED_IN)
    #expect(server.count("") == requests, "no network is used")
  }

  // Feature 165
  @Test func theCredentialsAreForTheirOwnerOnly() throws {
    _ = try makeApp().logInAnonymously()
    var info = stat()
    #expect(stat("\(folder.path)/tasks/users.json", &info) == 0)
    #expect(info.st_mode & 0o777 == 0o600)
  }

  @Test func aDamagedCredentialsFileIsReported() throws {
    try FileSystem.makeFolder("\(folder.path)/tasks")
    try FileSystem.replace("\(folder.path)/tasks/users.json", with: Array("{".utf8))
    let error = try #require(throws: CoreError.self) { try makeApp() }
    #expect(error.status == .corrupt)
  }

  @Test func aSecondAnonymousLoginNeedsNoRequest() throws {
    let app = try makeApp()
    let first = try app.logInAnonymously()
    let second = try app.logInAnonymously()
    #expect(first.id == second.id)
    #expect(server.count("POST /api/client/v2.0/app/tasks/auth/providers/anon-user/login") == 1)
  }

  @Test func loggingOutForgetsTheTokens() throws {
    let app = try makeApp()
    try app.register("ada@example.com", "secret")
    let user = try app.logIn("ada@example.com", "secret")
    try user.logOut()
    #expect(user.state == .FLX_USER_LOGGED_OUT)
    #expect(user.accessToken == nil)
    #expect(app.currentUser == nil)
    #expect(app.userIDs == [user.id])
    let again = try app.logIn("ada@example.com", "secret")
    #expect(again.handle == user.handle, "one object per user")
    #expect(user.state == .FLX_USER_LOGGED_IN)
    // The server is told without waiting for its answer.
    for _ in 0..<1000 where server.count("DELETE ") == 0 { pause(milliseconds: 5) }
    #expect(server.count("DELETE /api/client/v2.0/auth/session Bearer refresh.token.x") == 1)
  }

  @Test func anAnonymousUserIsRemovedOnLogOut() throws {
    let app = try makeApp()
    let user = try app.logInAnonymously()
    try FileSystem.makeFolder("\(folder.path)/tasks/\(user.id)/below")
    try user.logOut()
    #expect(user.state == .FLX_USER_REMOVED)
    #expect(app.userIDs.isEmpty)
    #expect(try FileSystem.read("\(folder.path)/tasks/\(user.id)") == nil)
  }

  @Test func usersCanBeSwitchedAndRemoved() throws {
    let app = try makeApp()
    for name in ["ada", "bob"] { try app.register(name, "secret") }
    let (ada, bob) = (try app.logIn("ada", "secret"), try app.logIn("bob", "secret"))
    #expect(app.currentUser?.id == bob.id)
    try check { flx_app_switch_user(app.handle, ada.handle, $0) }
    #expect(app.currentUser?.id == ada.id)
    try ada.remove()
    #expect(app.userIDs == [bob.id])
    #expect(app.currentUser?.id == bob.id)
    let error = try #require(throws: CoreError.self) {
      try check { flx_app_switch_user(app.handle, ada.handle, $0) }
    }
    #expect(error.status == .userNotFound)
  }

  @Test func aPolledLoopDoesTheSame() throws {
    let app = try makeApp(.FLX_LOOP_POLL)
    #expect(flx_app_poll_descriptor(app.handle) >= 0)
    let user = try app.logInAnonymously()
    #expect(user.state == .FLX_USER_LOGGED_IN)
    var next: Int64 = 0
    try check { flx_app_pump(app.handle, &next, $0) }
  }

  @Test func pumpingIsForPolledLoops() throws {
    let app = try makeApp()
    #expect(flx_app_poll_descriptor(app.handle) == -1)
    var next: Int64 = 0
    let error = try #require(throws: CoreError.self) { try check { flx_app_pump(app.handle, &next, $0) } }
    #expect(error.status == .unsupported)
  }

  @Test(arguments: [("", "http://x", "f"), ("a", "ftp://x", "f"), ("a", "http://x", "")])
  func badConfigurationsAreRefused(id: String, url: String, folder: String) throws {
    let error = try #require(throws: CoreError.self) { try CApp(url: url, folder: folder, id: id) }
    #expect(error.status == .invalidArgument)
  }

  @Test func aConfigurationWithoutSizeIsRefused() throws {
    var config = flx_app_config_t()
    var app: OpaquePointer?
    let error = try #require(throws: CoreError.self) { try check { flx_app_create(&config, &app, $0) } }
    #expect(error.status == .invalidArgument)
    #expect(error.message.contains("struct_size"))
  }
}
