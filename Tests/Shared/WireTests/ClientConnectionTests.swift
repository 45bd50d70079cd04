// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore
@testable import FlexSyncWire

/// The rules of protocol §1.4, §1.5, §3.7 and §11 for clients.
@Suite("Client connection")
struct ClientConnectionTests {
  @Test("a session makes a connection; when it is open, the session binds")
  func opening() {
    var driver = ConnectionDriver()
    #expect(driver.add(1) == [.startTimer(.connect, milliseconds: 120_000), .connect])
    let effects = driver.open()
    #expect(effects.first == .cancelTimer(.connect))
    #expect(driver.sentHeads == ["bind 1 37 0 1 0"])
    #expect(driver.connection.isConnected)
  }

  @Test("a second session uses the same connection")
  func sharing() {
    var driver = ConnectionDriver.opened()
    driver.add(2)
    #expect(driver.sentHeads == ["bind 2 37 0 1 0"])
    driver.receive("ident 2 9 9\n")
    #expect(driver.sentHeads == ["ident 2 9 9 0 0 0 0 0 2", "mark 2 1"])
  }

  @Test("delays double up to five minutes, less a quarter at most, as long as the reason is the same")
  func backoff() {
    var driver = ConnectionDriver()
    driver.add(1)
    for limit in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map({ $0 * 1000 }) as [UInt64] {
      driver.feed(.connectFailed(message: "refused"))
      #expect((limit * 3 / 4...limit).contains(driver.delay(.reconnect) ?? 0))
      #expect(driver.feed(.timerFired(.reconnect)).contains(.connect))
    }
    driver.feed(.upgradeRefused(status: 503))
    #expect((750...1000).contains(driver.delay(.reconnect) ?? 0), "another reason")
    #expect(driver.feed(.reconnectNow).contains(.connect))
  }

  @Test("a successful connect alone does not end the series, a minute does")
  func stability() {
    var driver = ConnectionDriver()
    driver.add(1)
    for limit in [1000, 2000] as [UInt64] {
      driver.open()
      driver.feed(.lost(message: "reset"))
      #expect((limit * 3 / 4...limit).contains(driver.delay(.reconnect) ?? 0))
      driver.feed(.timerFired(.reconnect))
    }
    driver.open()
    driver.now += 60_000
    driver.feed(.lost(message: "reset"))
    #expect((750...1000).contains(driver.delay(.reconnect) ?? 0))
  }

  @Test(
    "each HTTP status of a failed upgrade has its meaning",
    arguments: [
      (301, "location"), (308, "location"), (302, "retry"), (401, "user"), (403, "logout"), (400, "fatal"),
      (404, "fatal"), (429, "fatal"), (200, "fatal"), (500, "retry"), (503, "retry"),
    ]
  )
  func statuses(status: Int, outcome: String) {
    var driver = ConnectionDriver()
    driver.add(1)
    driver.feed(.upgradeRefused(status: status))
    #expect(driver.outcome == outcome)
  }

  @Test("if the address was only a guess, a refusal asks for the location", arguments: [200, 404, 429])
  func guessedRoute(status: Int) {
    var driver = ConnectionDriver(isRouteVerified: false)
    driver.add(1)
    driver.feed(.upgradeRefused(status: status))
    #expect(driver.outcome == "location")
    #expect(driver.feed(.refreshed).contains(.connect))
    driver.feed(.upgradeRefused(status: status))
    #expect(driver.outcome == "fatal")
  }

  @Test(
    "each close code has its meaning",
    arguments: [
      (1000, "silent retry"), (1001, "retry"), (1002, "retry"), (1006, "user"), (1008, "retry"),
      (1009, "reset"),
      (1011, "retry"), (1015, "retry"), (4001, "user"), (4002, "logout"), (4003, "location"), (4999, "retry"),
    ] as [(UInt16, String)]
  )
  func closeCodes(code: UInt16, outcome: String) {
    var driver = ConnectionDriver.opened()
    driver.feed(.closed(code: code, reason: ""))
    #expect(driver.outcome == outcome)
  }

  @Test("a token that is refused again right after a refresh is waited for")
  func repeatedRefusal() {
    var driver = ConnectionDriver()
    driver.add(1)
    driver.feed(.upgradeRefused(status: 401))
    #expect(driver.outcome == "user")
    driver.feed(.refreshed)
    driver.feed(.upgradeRefused(status: 401))
    #expect(driver.outcome == "silent retry")
    #expect(driver.feed(.timerFired(.reconnect)).contains(.refreshUser))
    driver.feed(.refreshFailed(isFinal: false, message: "503"))
    #expect(driver.outcome == "silent retry")
    driver.feed(.timerFired(.reconnect))
    let effects = driver.feed(.refreshFailed(isFinal: true, message: "The user was disabled."))
    #expect(driver.outcome == "logout")
    #expect("\(effects)".contains("cannot be refreshed: The user was disabled; log in again"))
  }

  @Test(
    "the first PING comes within a minute, the next ones after 54 to 60 seconds, and PONG within two minutes"
  )
  func pings() {
    var driver = ConnectionDriver()
    driver.add(1)
    driver.open()
    #expect((0...60_000).contains(driver.delay(.ping) ?? .max))
    driver.now = 5000
    driver.feed(.timerFired(.ping))
    #expect(driver.sentHeads == ["ping 5000 0"])
    #expect(driver.delay(.pong) == 120_000)
    driver.now = 5042
    driver.receive("pong 5000\n")
    #expect((54_000...60_000).contains(driver.delay(.ping) ?? 0))
    driver.now = 9000
    driver.feed(.timerFired(.ping))
    #expect(driver.sentHeads == ["ping 9000 42"])
    driver.feed(.timerFired(.pong))
    #expect(driver.outcome == "silent retry")
  }

  @Test(
    "a violation drops the connection for good and is reported to all sessions",
    arguments: [
      "pong 1\n", "hello\n", "mark 9 1\n", "unbound 1\n", "log_message 0 17\n{\"level\":\"loud\"}}",
      "json_error 200 2 1\n{}",
    ]
  )
  func violations(message: String) {
    var driver = ConnectionDriver.opened()
    driver.add(2)
    driver.receive(message)
    #expect(driver.outcome == "fatal")
    #expect(driver.reportedSessions == [1, 2])
    #expect(driver.feed(.timerFired(.reconnect)) == [])
    #expect(driver.feed(.session(1, .resume)).contains(.connect), "the app can try again")
  }

  @Test(
    "a server that chooses what was not offered is not used",
    arguments: [nil, "com.mongodb.realm-query-sync#13"]
  )
  func negotiation(answer: String?) {
    var driver = ConnectionDriver()
    driver.add(1)
    driver.feed(.opened(subprotocol: answer))
    #expect(driver.outcome == "fatal")
  }

  @Test("an error of the connection is retried if the server allows it")
  func connectionErrors() {
    let body =
      #"{"message":"m","tryAgain":TRY,"shouldClientReset":false,"isRecoveryModeDisabled":false,"logURL":"","action":"ACTION"}"#
    func message(_ tryAgain: Bool, _ action: ErrorAction) -> String {
      let json = body.split(separator: "TRY").joined(separator: "\(tryAgain)")
        .split(separator: "ACTION").joined(separator: action.rawValue)
      return "json_error 101 \(json.utf8.count) 0\n\(json)"
    }
    for (tryAgain, action, outcome) in [
      (true, ErrorAction.transient, "silent retry"), (true, .warning, "retry"),
      (false, .protocolViolation, "fatal"), (false, .logOutUser, "logout"), (true, .refreshUser, "user"),
      (true, .refreshLocation, "location"),
    ] {
      var driver = ConnectionDriver.opened()
      driver.receive(message(tryAgain, action))
      #expect(driver.outcome == outcome, "\(action)")
    }
  }

  @Test("a connection without sessions is dropped after half a minute")
  func lingering() {
    var driver = ConnectionDriver.opened()
    driver.feed(.removeSession(1))
    #expect(driver.sentHeads == ["unbind 1"])
    driver.receive("unbound 1\n")
    #expect(driver.effects == [.sessionRemoved(1), .startTimer(.linger, milliseconds: 30_000)])
    #expect(driver.feed(.timerFired(.linger)).contains(.disconnect))
    #expect(driver.add(2).contains(.connect))
  }

  @Test("a session that comes back in time keeps the connection")
  func noLingering() {
    var driver = ConnectionDriver.opened()
    driver.feed(.session(1, .suspend))
    driver.receive("unbound 1\n")
    #expect(driver.delay(.linger) == 30_000)
    #expect(driver.feed(.session(1, .resume)).contains(.cancelTimer(.linger)))
  }

  @Test("without a connection, a removed session is forgotten at once")
  func removalOffline() {
    var driver = ConnectionDriver()
    driver.add(1)
    #expect(driver.feed(.removeSession(1)) == [.sessionRemoved(1)])
  }

  @Test("no connection in time is a failure")
  func connectTimeout() {
    var driver = ConnectionDriver()
    driver.add(1)
    driver.feed(.timerFired(.connect))
    #expect(driver.outcome == "retry")
  }

  @Test("a session's delay runs on a timer of its own")
  func resumption() throws {
    var driver = ConnectionDriver.opened()
    let info = ErrorInfo(message: "again", action: .transient, tryAgain: true)
    let message = ServerMessage.error(ErrorMessage(code: .sessionClosed, session: 1, info: info))
    driver.feed(.received(message.encode()))
    #expect(driver.delay(.resumption(1)) == 1000)
    driver.feed(.timerFired(.resumption(1)))
    #expect(driver.sentHeads == ["bind 1 37 0 1 0"])
  }
}
