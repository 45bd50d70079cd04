// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Functions, streams of changes and push messages, against recorded answers.
@Suite struct ServiceTests {
  let folder = TemporaryFolder()

  private func logIn(_ server: RecordedServer) throws -> CUser {
    flx_set_logger(.FLX_LOG_FATAL, nil, nil, nil)
    return try CApp(url: server.url, folder: folder.path).logInAnonymously()
  }

  @Test func aCallSendsItsArgumentsAndReturnsTheAnswer() throws {
    let server = try RecordedServer { _ in .json(200, #"{"$numberInt":"3"}"#) }
    let user = try logIn(server)
    #expect(try user.call("sum", #"[{"$numberLong":"1"},2]"#) == #"{"$numberInt":"3"}"#)
    #expect(try user.call("find", "[{}]", service: "mongodb-atlas") == #"{"$numberInt":"3"}"#)
    let requests = server.requests("POST", "/app/tasks/functions/call")
    #expect(
      requests.map(\.body) == [
        #"{"arguments":[{"$numberLong":"1"},2],"name":"sum"}"#,
        #"{"arguments":[{}],"name":"find","service":"mongodb-atlas"}"#,
      ]
    )
    #expect(requests[0].headers["authorization"] == "Bearer \(RecordedServer.accessToken)")
  }

  @Test func anEmptyAnswerIsNull() throws {
    let server = try RecordedServer { _ in .json(200, "") }
    #expect(try logIn(server).call("log", "") == "null")
    #expect(server.requests("POST", "/functions/call").map(\.body) == [#"{"arguments":[],"name":"log"}"#])
  }

  @Test func aRefusalHasTheServersName() throws {
    let server = try RecordedServer { _ in
      .json(400, #"{"error":"TypeError: x","error_code":"FunctionExecutionError","link":"https://l"}"#)
    }
    let user = try logIn(server)
    let error = try #require(throws: CoreError.self) { try user.call("sum", "[]") }
    #expect(error.status == .serviceError && error.code == 400)
    #expect(error.serverCode == "FunctionExecutionError" && error.serverLogURL == "https://l")
    let misuse = try #require(throws: CoreError.self) { try user.call("sum", "{}") }
    #expect(misuse.status == .invalidArgument)
  }

  @Test func pushMessagesAreRegisteredAndEnded() throws {
    let server = try RecordedServer { $0.method == "PUT" ? .json(204, "") : .json(404, "{}") }
    let user = try logIn(server)
    try user.registerPush("gcm", token: "device")
    let route = "/api/client/v2.0/app/tasks/push/providers/gcm/registration"
    #expect(server.requests("PUT", route).map(\.body) == [#"{"registrationToken":"device"}"#])
    let error = try #require(throws: CoreError.self) { try user.registerPush("gcm", token: "") }
    #expect(error.code == 404)
    #expect(server.requests("DELETE", route).count == 1)
  }

  // MARK: Streams

  private func watch(_ user: CUser, _ box: CallbackBox<String>) throws -> TestToken {
    var token: OpaquePointer?
    try #"[{"database":"d","collection":"c"}]"#.withCText { arguments in
      try "mongodb-atlas".withCText { service in
        try check {
          flx_user_watch(
            user.handle,
            arguments,
            service,
            { userdata, event, change, error in
              let text = error.map { "\(CoreError($0.pointee).serverCode) \(CoreError($0.pointee).code)" }
              CallbackBox<String>.of(userdata).add("\(event.rawValue) \(text ?? change.text)")
            },
            box.retained,
            { CallbackBox<String>.free($0) },
            &token,
            $0
          )
        }
      }
    }
    return try TestToken(token)
  }

  @Test func aStreamReportsChangesUntilItEnds() throws {
    let server = try RecordedServer { _ in .stream }
    let user = try logIn(server)
    let events = CallbackBox<String>()
    let token = try watch(user, events)
    try events.wait("it opens") { $0 == ["0 "] }
    let request = try #require(server.requests("GET", "/functions/call").first)
    let call =
      "eyJhcmd1bWVudHMiOlt7ImRhdGFiYXNlIjoiZCIsImNvbGxlY3Rpb24iOiJjIn1dLCJuYW1lIjoid2F0Y2giLCJzZXJ2aWNlIjoibW9uZ29k"
      + "Yi1hdGxhcyJ9"
    #expect(request.target.hasSuffix("?baas_request=\(call)&baas_at=\(RecordedServer.accessToken)"))
    #expect(request.headers["accept"] == "text/event-stream")
    server.send(#"data: {"a":"#)
    server.send("1}\n\n: a comment\n\ndata: {\"b\":%0A\"%25\"}\n\n")
    try events.wait("changes come") { $0.count == 3 }
    #expect(events.events.dropFirst() == [#"1 {"a":1}"#, #"1 {"b":"%"}"#])
    server.send("event: error\ndata: {\"error\":\"no\",\"error_code\":\"MongoDBError\"}\n\n")
    server.endStreams()
    try events.wait("it ends") { $0.count == 5 }
    #expect(events.events.dropFirst(3) == ["2 MongoDBError 0", "3 "])
    withExtendedLifetime(token) {}
  }

  @Test func aReleasedStreamReportsNothing() throws {
    let server = try RecordedServer { _ in .stream }
    let user = try logIn(server)
    let events = CallbackBox<String>()
    do {
      let token = try watch(user, events)
      try events.wait("it opens") { $0.count == 1 }
      withExtendedLifetime(token) {}
    }
    server.send("data: {}\n\n")
    pause(milliseconds: 50)
    #expect(events.events.count == 1)
  }

  @Test func aRefusedStreamCloses() throws {
    let server = try RecordedServer { _ in .json(403, #"{"error":"no","error_code":"NoMatchingRuleFound"}"#) }
    let user = try logIn(server)
    let events = CallbackBox<String>()
    let token = try watch(user, events)
    try events.wait("it closes") { $0 == ["3 NoMatchingRuleFound 403"] }
    withExtendedLifetime(token) {}
  }

  @Test func aStreamIsOpenedAgainWithANewTokenOnce() throws {
    let server = try RecordedServer { _ in .json(401, #"{"error":"no","error_code":"InvalidSession"}"#) }
    let user = try logIn(server)
    let events = CallbackBox<String>()
    let token = try watch(user, events)
    try events.wait("it closes") { $0 == ["3 InvalidSession 401"] }
    #expect(server.requests("POST", "/auth/session").count == 1)
    #expect(server.requests("GET", "/functions/call").count == 2)
    withExtendedLifetime(token) {}
  }

  @Test func eventsAreReadHoweverTheyAreSplit() throws {
    let text = "event: x\r\ndata: one\r\ndata: two\r\n\r\nid: 3\ndata:%250A\n\n\n"
    typealias Event = EventStreamReader.Event
    let expected = [Event(type: "x", data: "one\ntwo"), Event(type: "", data: "%0A")]
    for size in 1...text.utf8.count {
      var reader = EventStreamReader()
      var events: [EventStreamReader.Event] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        events += try reader.feed(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(events == expected, "parts of \(size)")
    }
  }
}
