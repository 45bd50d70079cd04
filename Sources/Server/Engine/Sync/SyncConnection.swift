// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncServerSupport
import FlexSyncStore
import FlexSyncWire
import Logging

/// A client's WebSocket connection. It passes messages between the channel, the protocol's state machine and the
/// engine. Its only decisions are whether to admit a session and how fast to read from the client.
package final class SyncConnection: EngineSessionPeer {
  private let channel: any MessageChannel
  private var machine: ServerConnection
  package let userID: String
  private unowned let scheduler: any Scheduler
  private let engine: SyncEngine
  private let loads: UserLoads
  private let logger: Logger
  private var sessions: [SessionKey: EngineSession] = [:]
  /// Fires when reading from a user who has sent too much may resume.
  private var pause: (any ScheduledTimer)?
  /// The time at which `pause` fires, on the monotonic clock.
  private var pauseEnd: UInt64 = 0
  /// Sessions that must wait before they may send further requests.
  private var held: Set<SessionKey> = []
  /// Whether so many messages wait for the engine that no more are read.
  private var hasWaitingMessages = false
  /// The time up to which the client has shown that it is alive, on the monotonic clock.
  private var lastReceived: UInt64
  /// The number of the channel's bytes that `lastReceived` already accounts for.
  private var countedByteCount: UInt64 = 0
  /// The number of the channel's bytes that belong to complete messages.
  private var completeByteCount: UInt64 = 0
  /// The time since which a message has been incomplete, as far as `incompleteMessage` was asked.
  private var incompleteSince: UInt64?
  /// The time since which the client has left pending data unread; nil if little is pending.
  package private(set) var stalledSince: UInt64?
  /// Whether the client has left answers unread, so that it must read before it may ask for more.
  private var owesReading = false
  /// The answer to the newest PING, until the connection accepts it.
  private var waitingPong: ServerMessage?
  /// Called once, when the connection has ended.
  package var onEnd: (() -> Void)?

  package init(
    channel: any MessageChannel,
    scheduler: any Scheduler,
    version: SyncProtocolVersion,
    userID: String,
    engine: SyncEngine,
    loads: UserLoads,
    limits: MessageLimits,
    logger: Logger
  ) {
    self.channel = channel
    self.scheduler = scheduler
    lastReceived = scheduler.monotonicMilliseconds
    machine = ServerConnection(version: version, limits: limits)
    self.loads = loads
    self.userID = userID
    self.engine = engine
    var logger = logger
    logger[metadataKey: "user"] = "\(userID)"
    self.logger = logger
    channel.onMessage = { [weak self, unowned scheduler] bytes in
      guard let self else { return }
      lastReceived = scheduler.monotonicMilliseconds
      completeByteCount = self.channel.receivedByteCount
      incompleteSince = nil
      post(.received(Array(bytes)))
    }
    channel.onWritable = { [weak self] in self?.resume() }
    channel.onClose = { [weak self] closure in self?.closed(closure) }
  }

  // MARK: EngineSessionPeer

  var isWritable: Bool { channel.isOpen && channel.isWritable }

  func post(_ event: ServerConnection.Event) {
    for effect in machine.handle(event) { perform(effect) }
    guard machine.hasWaitingMessages != hasWaitingMessages else { return }
    hasWaitingMessages.toggle()
    if hasWaitingMessages { channel.pauseReading() } else { listen() }
  }

  func hold(_ session: SessionKey) {
    held.insert(session)
    channel.pauseReading()
  }

  func release(_ session: SessionKey) {
    guard held.remove(session) != nil else { return }
    listen()
  }

  func countQuery() {
    let now = scheduler.monotonicMilliseconds
    slowDown("subscriptions", milliseconds: loads.noteQuery(of: userID, now: now))
  }

  /// Resumes reading, unless a held session, messages that wait, unread answers, or a pause still prevent it.
  private func listen() {
    guard held.isEmpty, !hasWaitingMessages, !owesReading, pause == nil, channel.isOpen else { return }
    lastReceived = scheduler.monotonicMilliseconds
    channel.resumeReading()
  }

  package func drop() {
    channel.drop()
    ended()
  }

  /// Ends the connection with a reason; see `MessageChannel`.
  package func end(code: UInt16, reason: String) {
    channel.close(code: code, reason: reason)
    ended()
  }

  /// Whether the client has been silent for too long.
  ///
  /// A complete message shows that the client is alive. The bytes of an incomplete one count as the time that they
  /// would take at the slowest allowed rate. So a long message can arrive over a slow link, but one that trickles in
  /// does not hold its memory forever.
  package func isSilent(now: UInt64) -> Bool {
    guard held.isEmpty, !hasWaitingMessages, !owesReading else {
      lastReceived = now
      return false
    }
    let byteCount = channel.receivedByteCount
    let earned = (byteCount - countedByteCount) * 1000 / engine.limits.slowestBytesPerSecond
    countedByteCount = byteCount
    lastReceived = min(now, lastReceived + earned)
    return now > lastReceived + engine.limits.silenceMilliseconds
  }

  /// The size in bytes of the message that is arriving, and the time at which this was asked first during it; nil if
  /// there is none.
  package func incompleteMessage(now: UInt64) -> (byteCount: Int, since: UInt64)? {
    let byteCount = Int(channel.receivedByteCount - completeByteCount)
    guard byteCount > 0 else { return nil }
    let since = incompleteSince ?? now
    incompleteSince = since
    return (byteCount, since)
  }

  // MARK: Events of the channel

  private func resume() {
    stalledSince = nil
    if owesReading {
      owesReading = false
      listen()
    }
    if let pong = waitingPong {
      waitingPong = nil
      send(pong)
    }
    // The first one may fill the connection again, so it is the one that has waited longest.
    let waiting = sessions.values.sorted { ($0.lastPart, $0.key.session) < ($1.lastPart, $1.key.session) }
    for session in waiting { engine.resume(session) }
  }

  private func closed(_ closure: ChannelClosure) {
    if let error = closure.error { logger.debug("connection lost", metadata: ["error": "\(error)"]) }
    ended()
  }

  private func ended() {
    pause?.cancel()
    pause = nil
    post(.closed)
    let onEnd = onEnd
    self.onEnd = nil
    onEnd?()
  }

  // MARK: Effects of the machine

  private func perform(_ effect: ServerConnection.Effect) {
    switch effect {
    case .send(let message): send(message)
    case .allocateFileIdent(let key, let options): submit(.allocateFile, key, options)
    case .identify(let key, let message, let options, let queries):
      submit(.ident(message, queries), key, options)
    case .integrateUpload(let key, let upload):
      submit(.upload(upload), key)
      slowDown(after: upload)
    case .changeQuery(let key, let version, let queries):
      submit(.query(version, queries), key)
      countQuery()
    case .catchUp(let key): submit(.catchUp, key)
    case .clientFailed(let key, let code, let message): clientFailed(key, code, message)
    case .sessionEnded(let key): forget(key)
    case .closeConnection(let reason):
      logger.warning("connection ended with an error", metadata: ["error": "\(reason)"])
      channel.drop()
    case .hostViolation(let key, let reason):
      logger.error(
        "the server violated the protocol; ending the session",
        metadata: ["session": "\(key.session)", "error": "\(reason)"]
      )
    }
  }

  private func send(_ message: ServerMessage) {
    guard channel.isOpen else { return }
    // A client that does not read must not fill the queue by asking for answers. It only waits for the latest one.
    if case .pong = message, !channel.isWritable {
      waitingPong = message
      return
    }
    channel.send(message.encode(version: machine.version))
    if !channel.isWritable {
      if stalledSince == nil { stalledSince = scheduler.monotonicMilliseconds }
      if !message.isDownload, !owesReading {
        owesReading = true
        channel.pauseReading()
      }
    }
    CrashPoint.reached(.serverAfterAcknowledgement, if: message.acknowledgesUpload)
  }

  private func submit(_ request: SyncEngine.Request, _ key: SessionKey, _ options: BindOptions? = nil) {
    guard engine.app.sync.isEnabled else {
      let failure = SessionFailure.syncDisabled
      return post(.fail(key, failure.code, failure.info))
    }
    if let options, options.schemaVersion != engine.app.sync.schemaVersion {
      let failure = SessionFailure.badSchemaVersion(options.schemaVersion, engine.app.sync.schemaVersion)
      return post(.fail(key, failure.code, failure.info))
    }
    if let options, sessions[key] == nil {
      guard loads.beginSession(of: userID) else {
        let failure = SessionFailure.tooManySessions
        logger.warning(
          "session refused",
          metadata: ["session": "\(key.session)", "error": "\(failure.message)"]
        )
        return post(.fail(key, failure.code, failure.info))
      }
      sessions[key] = EngineSession(
        key: key,
        userID: userID,
        isClientReset: options.sessionReason == .clientReset,
        takesServerBootstraps: machine.version.hasBatchState,
        peer: self
      )
    }
    if let session = sessions[key] { engine.submit(request, from: session) }
  }

  private func forget(_ key: SessionKey) {
    release(key)
    guard let session = sessions.removeValue(forKey: key) else { return }
    loads.endSession(of: userID)
    engine.close(session)
  }

  private func slowDown(after upload: UploadMessage) {
    let delay = loads.noteUpload(
      changesets: upload.entries.count,
      bytes: upload.entries.reduce(0) { $0 + $1.changeset.count },
      of: userID,
      now: scheduler.monotonicMilliseconds
    )
    slowDown("uploads", milliseconds: delay)
  }

  /// Pauses reading from a user who sends more of something than the server accepts at once. Nothing is lost.
  private func slowDown(_ what: String, milliseconds: UInt64) {
    guard milliseconds > 0, channel.isOpen else { return }
    let end = scheduler.monotonicMilliseconds + milliseconds
    guard end > pauseEnd else { return }
    if pause == nil {
      logger.notice("slowing down \(what)", metadata: ["milliseconds": "\(milliseconds)"])
    }
    pause?.cancel()
    pauseEnd = end
    channel.pauseReading()
    pause = scheduler.startTimer(afterMilliseconds: milliseconds) { [weak self] in
      guard let self else { return }
      pause = nil
      listen()
    }
  }

  /// The maximum length of a client's own words in the answer to them.
  private static let quotedByteCount = 1 << 10

  /// Ends the session of a client that could not integrate a download, because the client is stuck until it receives
  /// an error (protocol §3.5, "Client-side integration errors").
  private func clientFailed(_ key: SessionKey, _ code: ErrorCode, _ message: String) {
    let message = ShortenedText.cut(message, to: SyncConnection.quotedByteCount)
    // The cause may be the client's program, so it must not wake the operator.
    logger.warning(
      "a client could not integrate a download",
      metadata: ["session": "\(key.session)", "code": "\(code)", "error": "\(message)"]
    )
    let failure = SessionFailure.reset(
      .badClientFile,
      "The client could not integrate a download: \(message)"
    )
    if let session = sessions[key] { engine.recordError(failure.code, failure.message, session) }
    forget(key)
    let info = failure.info(isRecoveryDisabled: engine.app.sync.isRecoveryModeDisabled)
    post(.fail(key, failure.code, info))
  }
}

extension ServerMessage {
  fileprivate var isDownload: Bool {
    if case .download = self { true } else { false }
  }

  fileprivate var acknowledgesUpload: Bool {
    if case .download(let message) = self { message.progress.upload.clientVersion > 0 } else { false }
  }
}

extension SessionFailure {
  /// The failure of sessions while sync is disabled for the app.
  fileprivate static let syncDisabled = SessionFailure(
    code: .otherSessionError,
    action: .warning,
    message: "Sync is not enabled for this app"
  )

  /// The failure of a session beyond the user's limit. The code intended for this, 224, aborts Realm's clients
  /// (protocol §3.5).
  fileprivate static let tooManySessions = later(
    .otherSessionError,
    "LimitsExceeded: the user has too many concurrent sessions; this session can start when another has ended"
  )
}
