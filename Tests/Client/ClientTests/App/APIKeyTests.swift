// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

@Suite struct APIKeyTests {
  let server: AccountServer
  let folder = TemporaryFolder()
  let user: CUser

  init() throws {
    server = try AccountServer()
    let app = try CApp(url: server.url, folder: folder.path)
    try app.register("ada", "secret")
    user = try app.logIn("ada", "secret")
  }

  @Test func keysAreMadeReadDisabledEnabledAndDeleted() throws {
    let key = try user.createAPIKey("laptop")
    #expect(key.name == "laptop" && key.key == "secret" && !key.isDisabled)
    let other = try user.createAPIKey("phone")
    #expect(try user.fetchAPIKeys().map(\.name) == ["laptop", "phone"])
    try user.disableAPIKey(key.id)
    let disabled = try user.fetchAPIKey(key.id)
    #expect(disabled.isDisabled && disabled.key == "" && disabled.id == key.id)
    try user.enableAPIKey(key.id)
    #expect(try !user.fetchAPIKey(key.id).isDisabled)
    try user.deleteAPIKey(key.id)
    #expect(try user.fetchAPIKeys().map(\.id) == [other.id])
  }

  @Test func theRefreshTokenProvesWhoAsks() throws {
    let key = try user.createAPIKey("laptop")
    try user.disableAPIKey(key.id)
    let route = "/api/client/v2.0/auth/api_keys"
    #expect(server.body("POST auth/api_keys") == ["name": "laptop"])
    #expect(server.count("POST \(route) Bearer refresh.token.x") == 1)
    #expect(server.count("PUT \(route)/\(key.id)/disable Bearer refresh.token.x") == 1)
  }

  @Test func anUnknownKeyIsAnError() throws {
    let error = try #require(throws: CoreError.self) { try user.fetchAPIKey("65a0000000000000000000ff") }
    #expect(error.status == .apiKeyNotFound)
    #expect(error.message == "cannot read the API key 65a0000000000000000000ff: API key not found")
    #expect(error.serverLogURL == "https://logs.example.com/1")
  }

  @Test func aRefusedLoginLogsTheUserOut() throws {
    server.state.withLock { $0.nextError = (401, ["error": "no session", "error_code": "InvalidSession"]) }
    let error = try #require(throws: CoreError.self) { try user.fetchAPIKeys() }
    #expect(error.status == .invalidSession)
    #expect(user.state == .FLX_USER_LOGGED_OUT)
    let later = try #require(throws: CoreError.self) { try user.fetchAPIKeys() }
    #expect(later.status == .userLoggedOut)
  }

  @Test(arguments: ["{}", #"{"_id":"1","name":"x"}"#, #"{"_id":"65a0000000000000000000ff"}"#])
  func anAnswerThatMakesNoSenseIsAnError(body: String) throws {
    let json = try JSON.parse(body)
    server.state.withLock { $0.nextError = (200, json) }
    let error = try #require(throws: CoreError.self) { try user.createAPIKey("x") }
    #expect(error.status == .badResponse)
  }

  @Test func completionsGetTheKeysOnTheLoop() throws {
    _ = try user.createAPIKey("laptop")
    let box = CallbackBox<String>()
    flx_user_fetch_api_keys(
      user.handle,
      { userdata, keys, count, error in
        let names = UnsafeBufferPointer(start: keys, count: count).map(\.name.text)
        CallbackBox<String>.of(userdata).add(error == nil ? names.joined() : "error")
      },
      box.retained,
      { CallbackBox<String>.free($0) }
    )
    try box.wait("the keys come") { $0 == ["laptop"] }
    server.state.withLock { $0.nextError = (500, ["error": "no"]) }
    flx_user_fetch_api_keys(
      user.handle,
      { userdata, keys, count, error in
        CallbackBox<String>.of(userdata).add("\(keys == nil) \(count) \(error?.pointee.code ?? 0)")
      },
      box.retained,
      { CallbackBox<String>.free($0) }
    )
    try box.wait("the error comes") { $0.last == "true 0 500" }
  }
}
