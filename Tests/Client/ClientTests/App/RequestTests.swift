// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Headers, times, the base URL and the transport of an app's requests.
@Suite struct RequestTests {
  let folder = TemporaryFolder()

  private func makeApp(_ server: RecordedServer) throws -> CApp {
    flx_set_logger(.FLX_LOG_FATAL, nil, nil, nil)
    return try CApp(url: server.url, folder: folder.path)
  }

  /// Waits until a session tries to connect.
  private func waitForSync(_ server: RecordedServer) throws {
    for _ in 0..<10_000 where server.requests("GET", "/realm-sync").isEmpty { pause(milliseconds: 1) }
    try #require(!server.requests("GET", "/realm-sync").isEmpty)
  }

  private func setHeaders(_ app: CApp, _ name: String, _ value: String) throws {
    try name.withCText { name in
      try value.withCText { value in
        var header = flx_http_header_t(name: name, value: value)
        try check { flx_app_set_request_headers(app.handle, &header, 1, $0) }
      }
    }
  }

  private func setAuthorizationHeader(_ app: CApp, _ name: String) throws {
    try name.withCText { name in try check { flx_app_set_authorization_header(app.handle, name, $0) } }
  }

  @Test func headersGoWithEveryRequest() throws {
    let server = try RecordedServer()
    let app = try makeApp(server)
    try setHeaders(app, "X-Tenant", "blue")
    try setAuthorizationHeader(app, "X-Token")
    try "Tracker/1".withCText { text in try check { flx_app_set_user_agent(app.handle, text, $0) } }
    let user = try app.logInAnonymously()
    #expect(server.requests.allSatisfy { $0.headers["x-tenant"] == "blue" })
    let token = "Bearer \(RecordedServer.accessToken)"
    #expect(server.requests("GET", "/auth/profile").map { $0.headers["x-token"] } == [token])
    #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil })
    let realm = try TestRealm(classes: .taskTracker) { $0.user = user.handle }
    try waitForSync(server)
    let headers = server.requests("GET", "/realm-sync")[0].headers
    #expect(headers["x-tenant"] == "blue" && headers["x-token"] == token)
    #expect(headers["user-agent"]?.hasPrefix("FlexSync/") == true)
    #expect(headers["user-agent"]?.hasSuffix(" Tracker/1") == true)
    realm.release()
  }

  @Test(arguments: ["", "a b", "a:b", "ä"])
  func aNameThatIsNoTokenIsRefused(name: String) throws {
    let app = try makeApp(try RecordedServer())
    let error = try #require(throws: CoreError.self) { try setHeaders(app, name, "x") }
    #expect(error.status == .invalidArgument)
    guard !name.isEmpty else { return try setAuthorizationHeader(app, name) }
    #expect(throws: CoreError.self) { try setAuthorizationHeader(app, name) }
  }

  @Test func otherHeadersMakeSessionsConnectAgain() throws {
    let server = try SyncServer()
    let device = try Device(server)
    try device.session.waitFor(.FLX_CONNECTION_CONNECTED)
    let states = CallbackBox<flx_connection_state_t>()
    let token = try device.session.observeConnection(states)
    try setHeaders(device.app, "X-Tenant", "blue")
    try states.wait("it connects again") {
      $0 == [.FLX_CONNECTION_DISCONNECTED, .FLX_CONNECTION_CONNECTING, .FLX_CONNECTION_CONNECTED]
    }
    try device.download()
    withExtendedLifetime((token, server)) {}
  }

  // MARK: Base URL

  private func move(_ app: CApp, to url: String) throws {
    try url.withCText { url in try check { flx_app_update_base_url_blocking(app.handle, url, $0) } }
  }

  private func baseURL(_ app: CApp) -> String? {
    guard let text = flx_app_base_url_copy(app.handle) else { return nil }
    defer { flx_free(text) }
    return String(cString: text)
  }

  @Test func anAppMovesToAServerThatHasIt() throws {
    let (first, second) = (try RecordedServer(), try RecordedServer())
    let app = try makeApp(first)
    #expect(baseURL(app) == first.url)
    _ = try app.logInAnonymously()
    try move(app, to: second.url + "/")
    #expect(baseURL(app) == second.url)
    _ = try app.logIn(.FLX_CREDENTIALS_NEW_ANONYMOUS)
    #expect(first.requests("POST", "/login").count == 1 && second.requests("POST", "/login").count == 1)
    for url in ["http://127.0.0.1:1", "ftp://x"] {
      #expect(throws: CoreError.self) { try move(app, to: url) }
    }
    #expect(baseURL(app) == second.url)
  }

  @Test func aSessionFollowsTheApp() throws {
    let (first, second) = (try RecordedServer(), try RecordedServer())
    let app = try makeApp(first)
    let user = try app.logInAnonymously()
    let realm = try TestRealm(classes: .taskTracker) { $0.user = user.handle }
    try waitForSync(first)
    try move(app, to: second.url)
    try waitForSync(second)
    realm.release()
  }

  // MARK: Times

  @Test func anOpeningFailsIfTheServerDoesNotAnswerInTime() throws {
    let server = try RecordedServer { _ in .silence }
    let app = try makeApp(server)
    var timeouts = flx_sync_timeouts_t()
    #expect(throws: CoreError.self) { try check { flx_app_set_sync_timeouts(app.handle, &timeouts, $0) } }
    timeouts.struct_size = MemoryLayout<flx_sync_timeouts_t>.size
    timeouts.connect_ms = 50
    try check { flx_app_set_sync_timeouts(app.handle, &timeouts, $0) }
    let user = try app.logInAnonymously()
    let outcome = Outcome()
    var config = flx_realm_config_t()
    config.struct_size = MemoryLayout<flx_realm_config_t>.size
    config.user = user.handle
    config.fail_opening_at_first_error = true
    flx_realm_open_async(
      &config,
      .FLX_OPEN_DOWNLOAD_ALWAYS,
      0,
      { userdata, error in Outcome.of(userdata).add(error.map { CoreError($0.pointee) }) },
      outcome.retained
    ) { Outcome.free($0) }
    let error = try #require(try outcome.get())
    #expect(error.status == .timedOut)
    #expect(error.message == "Sync connection was not fully established in time")
  }

  @Test func anOpeningReportsItsProgress() throws {
    let server = try SyncServer()
    let device = try Device(server)
    device.close()
    let (outcome, progress) = (Outcome(), CallbackBox<Double>())
    var config = flx_realm_config_t()
    config.struct_size = MemoryLayout<flx_realm_config_t>.size
    config.user = device.user.handle
    config.open_progress = { CallbackBox<Double>.of($0).add($1.pointee.estimate) }
    config.open_progress_userdata = progress.retained
    config.free_open_progress_userdata = { CallbackBox<Double>.free($0) }
    flx_realm_open_async(
      &config,
      .FLX_OPEN_DOWNLOAD_ALWAYS,
      0,
      { userdata, error in Outcome.of(userdata).add(error.map { CoreError($0.pointee) }) },
      outcome.retained
    ) { Outcome.free($0) }
    #expect(try outcome.get() == nil)
    #expect(progress.events.last == 1)
    withExtendedLifetime(server) {}
  }

  // MARK: Transport

  /// A transport that answers requests for functions itself, and passes on the others.
  private static let transport: flx_http_transport_t = { box, app, request, completion, userdata in
    CallbackBox<String>.of(box).add("\(request.pointee.method.text) \(request.pointee.url.text)")
    guard request.pointee.url.text.hasSuffix("/functions/call") else {
      return flx_app_perform_http_request(app, request, completion, userdata, nil)
    }
    request.pointee.body.text.withCText { body in
      var response = flx_http_response_t()
      (response.status, response.body) = (200, body)
      completion(userdata, &response, nil)
    }
  }

  @Test func aTransportPerformsTheRequests() throws {
    let server = try RecordedServer()
    let app = try makeApp(server)
    let log = CallbackBox<String>()
    flx_app_set_http_transport(app.handle, Self.transport, log.retained) { CallbackBox<String>.free($0) }
    let user = try app.logInAnonymously()
    #expect(try user.call("echo", "[1]") == #"{"arguments":[1],"name":"echo"}"#)
    #expect(server.requests("POST", "/login").count == 1)
    #expect(server.requests("POST", "/functions/call").isEmpty)
    #expect(log.events.first == "GET \(server.url)/api/client/v2.0/app/tasks/location")
    flx_app_set_http_transport(app.handle, nil, nil, nil)
    #expect(throws: CoreError.self) { try user.call("echo", "[1]") }
    #expect(server.requests("POST", "/functions/call").count == 1)
  }

  @Test func aTransportMayFail() throws {
    let app = try makeApp(try RecordedServer())
    flx_app_set_http_transport(
      app.handle,
      { _, _, _, completion, userdata in
        CoreError(.connectionFailed, "no network").withCError { completion(userdata, nil, $0) }
      },
      nil,
      nil
    )
    let error = try #require(throws: CoreError.self) { try app.logInAnonymously() }
    #expect(error.status == .connectionFailed && error.message == "no network")
  }
}
