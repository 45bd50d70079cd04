// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// What goes to the server for accounts with email and password (RealmClients §1).
@Suite struct EmailPasswordTests {
  let server: AccountServer
  let folder = TemporaryFolder()
  let app: CApp

  init() throws {
    server = try AccountServer()
    app = try CApp(url: server.url, folder: folder.path)
  }

  /// Calls a function with texts.
  private func call(
    _ texts: String...,
    body: (OpaquePointer, [flx_string_t], UnsafeMutablePointer<flx_error_t>) -> flx_status_t
  ) throws {
    let lent = texts.map(LentText.init)
    try withExtendedLifetime(lent) { try check { body(app.handle, lent.map(\.string), $0) } }
  }

  @Test func accountsAreConfirmedWithTheTokensOfAMail() throws {
    try call("t", "i") { flx_app_confirm_email_blocking($0, $1[0], $1[1], $2) }
    #expect(server.body("POST local-userpass/confirm") == ["token": "t", "tokenId": "i"])
    try call("a@b") { flx_app_resend_confirmation_blocking($0, $1[0], $2) }
    #expect(server.body("POST local-userpass/confirm/send") == ["email": "a@b"])
    try call("a@b") { flx_app_retry_confirmation_function_blocking($0, $1[0], $2) }
    #expect(server.body("POST local-userpass/confirm/call") == ["email": "a@b"])
  }

  @Test func passwordsAreResetWithTheTokensOfAMailOrByAFunction() throws {
    try call("a@b") { flx_app_send_password_reset_blocking($0, $1[0], $2) }
    #expect(server.body("POST local-userpass/reset/send") == ["email": "a@b"])
    try call("new", "t", "i") { flx_app_reset_password_blocking($0, $1[0], $1[1], $1[2], $2) }
    #expect(
      server.body("POST local-userpass/reset") == ["password": "new", "token": "t", "tokenId": "i"]
    )
    for (text, arguments) in [
      ("", [] as JSON), (#"[{"$numberLong":"5"},"x"]"#, [["$numberLong": "5"], "x"]),
    ] {
      try call("a@b", "new", text) {
        flx_app_call_password_reset_function_blocking($0, $1[0], $1[1], $1[2], $2)
      }
      #expect(
        server.body("POST local-userpass/reset/call")
          == ["email": "a@b", "password": "new", "arguments": arguments]
      )
    }
  }

  @Test(arguments: ["{}", "[", "x"])
  func argumentsOfAFunctionAreAnArray(text: String) throws {
    let error = try #require(throws: CoreError.self) {
      try call("a@b", "new", text) {
        flx_app_call_password_reset_function_blocking($0, $1[0], $1[1], $1[2], $2)
      }
    }
    #expect(error.status == .invalidArgument)
    #expect(server.count("") == 0)
  }

  @Test func anErrorHasTheServersNameAndLog() throws {
    server.state.withLock {
      $0.nextError = (
        400,
        [
          "error": "already confirmed", "error_code": "UserAlreadyConfirmed",
          "link": "https://logs.example.com/7",
        ]
      )
    }
    let error = try #require(throws: CoreError.self) {
      try call("a@b") { flx_app_resend_confirmation_blocking($0, $1[0], $2) }
    }
    #expect(error.status == .userAlreadyConfirmed)
    #expect(error.code == 400)
    #expect(error.serverCode == "UserAlreadyConfirmed")
    #expect(error.serverLogURL == "https://logs.example.com/7")
    #expect(error.message.hasSuffix("already confirmed"))
  }

  @Test func anUnknownErrorKeepsTheServersName() throws {
    server.state.withLock { $0.nextError = (400, ["error": "no", "error_code": "DomainNotAllowed"]) }
    let error = try #require(throws: CoreError.self) { try app.register("a@b", "secret") }
    #expect(error.status == .serviceError)
    #expect(error.serverCode == "DomainNotAllowed")
    #expect(error.serverLogURL == "")
  }

  @Test func anAddressThatDoesNotFitIsLeftOut() throws {
    let link = JSON.string("https://" + String(repeating: "x", count: 600))
    server.state.withLock { $0.nextError = (500, ["error": "no", "error_code": "X", "link": link]) }
    let error = try #require(throws: CoreError.self) { try app.register("a@b", "secret") }
    #expect(error.serverLogURL == "")
  }
}
