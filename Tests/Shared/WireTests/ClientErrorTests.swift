// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@testable import FlexSyncCore
@testable import FlexSyncWire

/// What a client does about the errors of a server (protocol §3.5, §8.1).
@Suite("Client session, errors")
struct ClientErrorTests {
  private func active() throws -> MemoryClient {
    var client = MemoryClient(
      StoredSessionState(
        file: SaltedFileIdent(ident: 2, salt: 4242),
        localVersion: 5,
        activeSet: ActiveSubscriptionSet(version: 1, body: QuerySet.empty.body, state: .complete)
      )
    )
    client.feed(.connected(0))
    try client.receive("mark 1 1\n")
    client.effects = []
    return client
  }

  private func error(
    _ code: Int,
    _ action: ErrorAction,
    tryAgain: Bool,
    backoff: BackoffParameters? = nil
  ) -> ClientSession.Event {
    let info = ErrorInfo(message: "text", action: action, tryAgain: tryAgain, backoff: backoff)
    return .received(.error(ErrorMessage(code: ErrorCode(rawValue: code), session: 1, info: info)))
  }

  @Test("a transient error is not shown; the session binds again after a second, with the same number")
  func transient() throws {
    var client = try active()
    client.feed(error(200, .transient, tryAgain: true))
    #expect(client.takeHeads() == ["unbind 1"])
    #expect(client.effects == [.startTimer(milliseconds: 1000)])
    client.feed(.timerFired)
    #expect(client.takeHeads().map { $0.prefix(6) } == ["bind 1", "ident ", "mark 1"])
  }

  @Test("a transient error without another try leaves the session inactive until the app resumes it")
  func transientFinal() throws {
    var client = try active()
    client.feed(error(200, .transient, tryAgain: false))
    #expect(client.takeHeads() == ["unbind 1"])
    #expect(client.effects == [])
    client.feed(.resume)
    #expect(client.takeHeads().first == "bind 1 37 0 0 0")
  }

  @Test("delays grow while the code repeats, within the server's limits and with jitter")
  func delays() throws {
    var client = try active()
    let backoff = BackoffParameters(initialSeconds: 4, maximumSeconds: 20, multiplier: 3)
    for limit in [4000, 12_000, 20_000, 20_000] as [UInt64] {
      client.feed(error(229, .transient, tryAgain: true, backoff: backoff))
      #expect((limit * 3 / 4...limit).contains(client.delay ?? 0))
      client.effects = []
      client.feed(.timerFired)
    }
    client.feed(error(201, .transient, tryAgain: true, backoff: backoff))
    #expect((3000...4000).contains(client.delay ?? 0))
  }

  @Test("a warning is shown and the session goes on")
  func warning() throws {
    var client = try active()
    client.feed(error(201, .warning, tryAgain: true))
    #expect(client.reports.map(\.isFatal) == [false])
    #expect(client.delay != nil)
  }

  @Test(
    "an application bug ends the session",
    arguments: [ErrorAction.applicationBug, .protocolViolation, .deleteRealm]
  )
  func applicationBug(action: ErrorAction) throws {
    var client = try active()
    client.feed(error(225, action, tryAgain: true))
    #expect(client.takeHeads() == ["unbind 1"])
    #expect(client.reports.map(\.isFatal) == [true])
    #expect(client.delay == nil)
    client.commit("x")
    #expect(client.takeHeads() == [])
  }

  @Test("a client reset is demanded from the driver")
  func clientReset() throws {
    var client = try active()
    client.feed(error(208, .clientReset, tryAgain: false))
    #expect(client.takeHeads() == ["unbind 1"])
    let demand = ClientResetDemand(
      code: .badClientFileIdent,
      message: "text",
      isRecoveryAllowed: true
    )
    #expect(client.effects == [.resetClient(demand)])
    var other = try active()
    other.feed(error(208, .clientResetNoRecovery, tryAgain: false))
    #expect(
      other.effects.contains {
        if case .resetClient(let demand) = $0 { !demand.isRecoveryAllowed } else { false }
      }
    )
  }

  @Test("log-out, new token and new location are asked for")
  func accountActions() throws {
    for (action, effect) in [
      (ErrorAction.logOutUser, ClientSession.Effect.logOutUser), (.refreshUser, .refreshUser),
      (.refreshLocation, .refreshLocation),
    ] {
      var client = try active()
      client.feed(error(201, action, tryAgain: false))
      #expect(client.effects.contains(effect))
    }
  }

  @Test("after an error, anything from the server for the session is a violation")
  func silenceAfterError() throws {
    for message in ["mark 1 2\n", "download 1 0 0 0 77 0 0 1 2 1 0 0 0\n", "unbound 1\n"] {
      var client = try active()
      client.feed(error(200, .transient, tryAgain: true))
      try client.receive(message)
      #expect(client.effects.contains { if case .violation = $0 { true } else { false } })
    }
  }

  @Test("an error that crosses our UNBIND ends the session without UNBOUND")
  func errorWhileUnbinding() throws {
    var client = try active()
    client.feed(.suspend)
    client.feed(error(200, .transient, tryAgain: true))
    #expect(client.takeHeads() == ["unbind 1"])
    client.feed(.resume)
    #expect(client.takeHeads().first == "bind 1 37 0 0 0")
  }

  @Test("a known code of the connection for a session is a violation, an unknown code is not")
  func codes() throws {
    var client = try active()
    client.feed(error(103, .protocolViolation, tryAgain: false))
    #expect(client.effects.contains { if case .violation = $0 { true } else { false } })
    var other = try active()
    other.feed(error(299, .applicationBug, tryAgain: false))
    #expect(other.reports.map(\.code.rawValue) == [299])
  }

  @Test("a compensating write is reported once its version is integrated, in order")
  func compensatingWrite() throws {
    var client = try active()
    client.commit("x")
    for version in [3, 4] as [ServerVersion] {
      let info = ErrorInfo.compensatingWrite(
        message: "reverted \(version)",
        rejectedClientVersion: 6,
        serverVersion: version,
        rejectedUpdates: [RejectedUpdate(className: "Task", key: .int(5), reason: "outside of the view")]
      )
      client.feed(.received(.error(ErrorMessage(code: .compensatingWrite, session: 1, info: info))))
    }
    #expect(client.reports == [])
    try client.receive("download 1 3 6 3 77 6 0 1 2 1 0 13 0\n3 6 20 1 0 0 ")
    #expect(client.rejections.map(\.message) == ["reverted 3"])
    #expect(client.reports.map(\.message) == ["reverted 3"])
    #expect(client.reports.first?.revertVersion == client.stored.localVersion)
    #expect(client.reports.first?.isFatal == false)
    try client.receive("download 1 4 6 4 77 6 0 1 2 1 0 13 0\n4 6 20 1 0 0 ")
    #expect(client.reports.map(\.message) == ["reverted 3", "reverted 4"])
    #expect(client.session.hasCaughtUp && client.session.link == .active)
  }

  @Test("held compensating writes are dropped with the connection: the server sends them again")
  func compensatingWriteOverReconnect() throws {
    var client = try active()
    let info = ErrorInfo.compensatingWrite(
      message: "reverted",
      rejectedClientVersion: 5,
      serverVersion: 3,
      rejectedUpdates: []
    )
    client.feed(.received(.error(ErrorMessage(code: .compensatingWrite, session: 1, info: info))))
    client.feed(.disconnected(0))
    client.feed(.connected(1))
    try client.receive("download 1 3 5 3 77 5 0 1 2 1 0 13 0\n3 5 20 1 0 0 ")
    #expect(client.reports == [])
  }
}

extension MemoryClient {
  /// What was to be kept with downloads.
  var rejections: [ErrorInfo] {
    effects.flatMap { effect -> [ErrorInfo] in
      if case .integrate(_, let rejections) = effect { rejections } else { [] }
    }
  }

  /// The delay of the last timer that was started.
  var delay: UInt64? {
    effects.compactMap { if case .startTimer(let milliseconds) = $0 { milliseconds } else { nil } }.last
  }
}
