// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncCore
@testable import FlexSyncWire

/// A driver of `ClientConnection` that a test plays by hand.
struct ConnectionDriver {
  var connection: ClientConnection
  var effects: [ClientConnection.Effect] = []
  var now: MonotonicTime = 1000

  init(isRouteVerified: Bool = true) {
    connection = ClientConnection(seed: 3, isRouteVerified: isRouteVerified)
  }

  static func opened() -> ConnectionDriver {
    var driver = ConnectionDriver()
    driver.add(1)
    driver.open()
    return driver
  }

  @discardableResult
  mutating func feed(_ event: ClientConnection.Event) -> [ClientConnection.Effect] {
    effects = connection.handle(event, now: now)
    return effects
  }

  @discardableResult
  mutating func add(_ session: SessionIdent) -> [ClientConnection.Effect] {
    feed(
      .addSession(
        ClientSessionConfiguration(session: session, seed: session),
        StoredSessionState(localVersion: 1)
      )
    )
  }

  @discardableResult
  mutating func open() -> [ClientConnection.Effect] {
    feed(.opened(subprotocol: SubprotocolNegotiation.clientOffer[0]))
  }

  mutating func receive(_ text: String) { feed(.received(Array(text.utf8))) }

  var sentHeads: [String] {
    effects.compactMap { if case .send(let message) = $0 { message.head } else { nil } }
  }

  func delay(_ timer: ClientConnection.Timer) -> UInt64? {
    effects.compactMap { effect in
      if case .startTimer(timer, let milliseconds) = effect { milliseconds } else { nil }
    }.last
  }

  private var reports: [(SessionIdent, SyncErrorReport)] {
    effects.compactMap { effect in
      if case .session(let ident, .report(let report)) = effect { (ident, report) } else { nil }
    }
  }

  var reportedSessions: [SessionIdent] { reports.map(\.0) }

  /// What the effects amount to.
  var outcome: String {
    if effects.contains(.logOutUser) { return reports.allSatisfy(\.1.isFatal) ? "logout" : "?" }
    if effects.contains(.refreshUser) { return "user" }
    if effects.contains(.refreshLocation) { return "location" }
    if reports.contains(where: \.1.isFatal) { return "fatal" }
    if effects.contains(where: { if case .session(_, .resetClient) = $0 { true } else { false } }) {
      return "reset"
    }
    guard delay(.reconnect) != nil else { return "nothing" }
    return reports.isEmpty ? "silent retry" : "retry"
  }
}
