// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncTestSupport
import FlexSyncTransport
import FlexSyncWire

/// A device with several realm files of one user whose sessions share a connection, as in Realm's clients. Events in
/// one session must not disturb the others.
final class PeerDevice {
  /// The time in milliseconds within which a reconnection counts as if the connection had not been lost.
  private static let fastReconnection: UInt64 = 60_000
  private static let pingPeriod: ClosedRange<UInt64> = 54_000...60_000
  private static let pongPatience: UInt64 = 120_000

  let number: Int
  /// Whether the server may forget realms that are offline for too long.
  let mayBeForgotten: Bool
  private let network: SimulatedNetwork
  private let simulationLog: SimulationLog
  private let scheduler: SimulatedScheduler
  private var random: SeededGenerator
  private(set) var sessions: [PeerSession] = []

  private var channel: SimulatedChannel?
  /// The number of the connection attempt. Messages from earlier connections are ignored.
  private var attempt = 0
  private var isRunning = true
  private var lossTime: UInt64?
  private var sessionCount: SessionIdent = 0
  /// Sessions that the device has ended but whose end the server has not confirmed yet.
  private var leaving: Set<SessionIdent> = []
  private var pingCount: UInt64 = 0
  private var pongCount: UInt64 = 0
  /// The planned interruption: after the given number of further messages, the connection breaks or the process dies.
  private var interruption: (messages: Int, isCrash: Bool)?

  /// The first failure; nil if there is none.
  private(set) var failure: SimulationFailure?
  /// Called with each message to a realm or its fresh copy, before it is integrated.
  var onReceive: ((ServerMessage, PeerRealm) throws -> Void)?
  /// Called when a subscription set of a realm is in force.
  var onActive: ((PeerRealm) -> Void)?
  /// Called when a realm has been reset.
  var onReset: ((PeerRealm, _ acknowledged: ClientVersion, _ isRecovering: Bool) throws -> Void)?
  /// Called when the device starts to connect.
  var onConnecting: (() -> Void)?
  /// Called when the server has closed the connection.
  var onClosedByServer: (() -> Void)?

  init(
    _ number: Int,
    _ world: SimulatedWorld,
    network: SimulatedNetwork,
    log: SimulationLog,
    plan: PeerPlan,
    mayBeForgotten: Bool
  ) throws {
    self.number = number
    self.network = network
    self.mayBeForgotten = mayBeForgotten
    simulationLog = log
    random = plan.random
    scheduler = SimulatedScheduler(world.time) { false }
    for index in 0..<plan.realmCount {
      let newest = random.pick([0, 0, 1, 2, 6, 1_000_000_006] as [QueryVersion])
      let realm = try PeerRealm(number: number + index, newestVersion: newest) { world.timestamp }
      sessions.append(
        PeerSession(
          realm,
          self,
          ident: makeSessionIdent(),
          mode: random.pick(PeerResetMode.allCases),
          asksForIdent: random.chance(25)
        )
      )
    }
  }

  // MARK: Process

  func start() {
    isRunning = true
    connect()
  }

  /// Kills the process. Its files remain.
  func crash(restartAfter milliseconds: UInt64) {
    guard isRunning else { return }
    simulationLog.write("device \(number) dies")
    isRunning = false
    network.breakConnection(number, noticedBy: [.server])
    forgetConnection()
    (sessionCount, lossTime, interruption) = (0, nil, nil)
    for session in sessions { session.processDied() }
    later(milliseconds) { [weak self] in self?.start() }
  }

  func stop() { scheduler.stop() }

  /// Plans to break the connection, or kill the process, after a number of further messages.
  func interrupt(after messages: Int, isCrash: Bool) { interruption = (messages, isCrash) }

  private func countMessage() {
    guard let (messages, isCrash) = interruption else { return }
    interruption = messages > 1 ? (messages - 1, isCrash) : nil
    guard messages <= 1 else { return }
    scheduler.post { [weak self] in
      guard let self else { return }
      if isCrash { return crash(restartAfter: pick(0...5_000)) }
      network.breakConnection(number, noticedBy: pick(0...1) == 0 ? [.client, .server] : [.client])
    }
  }

  // MARK: Connection

  var isConnected: Bool { channel != nil }

  private func connect() {
    attempt += 1
    let attempt = attempt
    onConnecting?()
    network.connect(number, scheduler: scheduler) { [weak self] in
      self?.attempt == attempt
    } completion: { [unowned self] answer in
      switch answer {
      case .connected(let channel): connected(channel, attempt)
      case .failed: connectionLost()
      }
    }
  }

  private func forgetConnection() {
    attempt += 1
    channel = nil
    leaving = []
  }

  private func connectionLost() {
    if channel != nil { lossTime = scheduler.monotonicMilliseconds }
    forgetConnection()
    for session in sessions { session.connectionLost() }
    let attempt = attempt
    later(pick(100...30_000)) { [weak self] in
      guard let self, self.attempt == attempt, isRunning else { return }
      connect()
    }
  }

  private func connected(_ channel: SimulatedChannel, _ attempt: Int) {
    // A connection may be lost before it is handed over.
    guard channel.isOpen else { return connectionLost() }
    self.channel = channel
    channel.onMessage = { [weak self] bytes in
      guard let self, self.attempt == attempt else { return }
      guarding { try self.received(try ServerMessage.decode(Array(bytes))) }
    }
    channel.onClose = { [weak self] _ in
      guard let self, self.attempt == attempt else { return }
      if network.serverHasClosedConnection(of: number) { onClosedByServer?() }
      connectionLost()
    }
    (pingCount, pongCount) = (0, 0)
    later(pick(0...60_000)) { [weak self] in self?.ping(attempt) }
    let isFast = lossTime.map { scheduler.monotonicMilliseconds - $0 < Self.fastReconnection } ?? false
    for session in sessions { session.connected(isFast: isFast) }
  }

  private func ping(_ attempt: Int) {
    guard self.attempt == attempt else { return }
    pingCount += 1
    let count = pingCount
    send(.ping(timestamp: count, roundTripTime: 0))
    later(Self.pongPatience) { [weak self] in
      guard let self, self.attempt == attempt, pongCount < count else { return }
      channel?.drop()
      connectionLost()
    }
  }

  private func ponged(_ timestamp: UInt64) throws {
    guard timestamp == pingCount, pongCount < timestamp else {
      throw SimulationFailure("device \(number) was sent PONG \(timestamp) after PING \(pingCount)")
    }
    pongCount = timestamp
    let attempt = attempt
    later(pick(Self.pingPeriod)) { [weak self] in self?.ping(attempt) }
  }

  // MARK: Used by sessions

  func makeSessionIdent() -> SessionIdent {
    sessionCount += 1
    return sessionCount
  }

  func send(_ message: ClientMessage) {
    guard let channel else { return }
    channel.send(message.encode())
    countMessage()
  }

  /// Ends a session. Messages that the server sends before it learns of that are ignored.
  func unbind(_ session: SessionIdent) {
    leaving.insert(session)
    send(.unbind(session))
  }

  /// Ends a session that the server has ended with an error, after which the server sends nothing more in it.
  func leaveAfterError(_ session: SessionIdent) { send(.unbind(session)) }

  func later(_ milliseconds: UInt64, _ action: @escaping () -> Void) {
    scheduler.post(after: milliseconds, action)
  }

  func pick<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> Number { random.number(in: range) }

  func guarding(_ body: () throws -> Void) {
    guard failure == nil else { return }
    do {
      try body()
    } catch {
      failure = SimulationFailure("device \(number): \(error)")
    }
  }

  func log(_ message: ServerMessage, to realm: PeerRealm, isCopy: Bool) {
    simulationLog.write("\(isCopy ? "the copy of " : "")realm \(realm.number) receives \(message.logText)")
  }

  // MARK: Messages from the server

  private func received(_ message: ServerMessage) throws {
    countMessage()
    if case .pong(let timestamp) = message { return try ponged(timestamp) }
    if case .log = message { return }
    let ident = message.session
    if let session = sessions.first(where: { $0.isBound(as: ident) }) { return try session.receive(message) }
    guard leaving.contains(ident) else {
      throw SimulationFailure("\(message.logText) came for session \(ident), which is not bound: \(message)")
    }
    switch message {
    case .unbound: leaving.remove(ident)
    case .error(let error) where error.code.endsSession: leaving.remove(ident)
    default: break
    }
  }
}

extension SimulatedWorld {
  /// Milliseconds since 2015.
  fileprivate var timestamp: UInt64 { UInt64(unixMilliseconds) - OriginStamp.epochOffsetMilliseconds }
}
