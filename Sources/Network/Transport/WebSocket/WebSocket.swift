// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// The limits of a web socket.
public struct WebSocketOptions: Sendable {
  /// The maximum size of an incoming message in bytes. By default, room for changesets of 16 MiB and their envelopes.
  public var maximumMessageBytes = 16 * 1024 * 1024 + 64 * 1024
  /// Whether a longer message is answered with the close code 1009. If not, the connection is simply dropped, as
  /// Realm's clients require: for them 1009 means a client reset (protocol §1.5).
  public var reportsOversizedMessages = false

  /// Creates the default options.
  public init() {}
}

/// One end of a web socket (RFC 6455) for binary messages. Confined to the loop's thread.
///
/// The loop retains the web socket until it is closed. Everything sent during a turn of the loop is transmitted
/// together at its end. Text messages are ignored, pings are answered but never sent (protocol §1.6), and no
/// extensions are used. A peer that violates the protocol receives close code 1002 (1007 for malformed text) and is
/// dropped.
public final class WebSocket {
  /// The loop that the web socket lives on.
  public let loop: EventLoop
  /// The negotiated sub-protocol.
  public let subprotocol: String?

  /// Called with each binary message. Its bytes are valid only during the call.
  public var onMessage: ((UnsafeRawBufferPointer) -> Void)?
  /// Called once when the web socket has ended for any reason, never from within one of its methods.
  public var onClose: ((ChannelClosure) -> Void)?
  /// Called when ``isWritable`` becomes true again.
  public var onWritable: (() -> Void)?
  /// Called once if the peer sends a message that is too long. Returns the last message sent to the peer, which may
  /// tell it not to try again.
  public var lastWordsToOversizedMessage: (() -> [UInt8])?

  /// The number of bytes received after the handshake, including those of an incomplete message.
  public private(set) var receivedByteCount: UInt64 = 0

  private let connection: Connection
  private let role: WebSocketFraming.Role
  private let framing: WebSocketFraming
  private let options: WebSocketOptions
  private var closeCode: UInt16?
  private var closeReason = ""
  private var failure: TransportError?
  /// Whether the web socket is ending. No more messages are delivered or sent then.
  private var isEnding = false
  private var isReceiving = false
  private var isPaused = false
  /// Whether reading waits because the peer does not read the answers to its pings.
  private var isThrottled = false
  /// Whether the input that is being read contains a ping.
  private var hasPing = false
  /// The input received before the owner has set its handlers.
  private var early: [UInt8] = []

  /// Creates one end of a web socket.
  ///
  /// - Parameters:
  ///   - connection: The connection after the handshake, without handlers.
  ///   - input: The bytes that the peer has sent after the handshake.
  init(
    _ role: WebSocketFraming.Role,
    connection: Connection,
    input: [UInt8],
    subprotocol: String?,
    options: WebSocketOptions
  ) {
    loop = connection.loop
    self.connection = connection
    self.subprotocol = subprotocol
    self.options = options
    self.role = role
    framing = WebSocketFraming(role, maximumMessageBytes: options.maximumMessageBytes)
    connection.onClose = { [self] error in closed(error) }
    connection.onWritable = { [self] in
      if isThrottled {
        isThrottled = false
        if !isPaused, isOpen { connection.resumeReading() }
      }
      onWritable?()
    }
    connection.pauseReading()
    // The owner sets its handlers first. Until then, input that TLS still holds must not be lost.
    early = input
    connection.onRead = { [self] in early += $0 }
    loop.atEndOfTurn { [self] in begin() }
  }

  /// The remote address.
  public var peer: Endpoint? { connection.peer }

  /// Whether messages can be sent.
  public var isOpen: Bool { !isEnding && connection.isOpen }

  /// The number of bytes waiting to be sent.
  public var queuedBytes: Int { connection.queuedBytes }

  /// Whether the queue is short enough for more messages. If not, ``onWritable`` is called when it is again.
  public var isWritable: Bool { connection.isWritable }

  /// Sends a binary message. Does nothing on a web socket that has ended.
  public func send(_ message: UnsafeRawBufferPointer) {
    loop.assertInLoop()
    guard isOpen else { return }
    framing.send(message)
    if !isReceiving { pump() }
  }

  /// Sends a binary message, see ``send(_:)-(UnsafeRawBufferPointer)``.
  public func send(_ message: [UInt8]) {
    message.withUnsafeBytes { send($0) }
  }

  /// Stops reading until ``resumeReading()``, which slows the peer down. Messages that have already arrived may still
  /// be delivered.
  public func pauseReading() {
    isPaused = true
    connection.pauseReading()
  }

  /// Resumes reading.
  public func resumeReading() {
    isPaused = false
    if isOpen, !isThrottled { connection.resumeReading() }
  }

  /// Sends a close frame and ends the connection when the peer has answered, or after a few seconds. The stream is
  /// closed immediately in this direction, because core clients ignore some close codes (protocol §1.5).
  /// - Parameters:
  ///   - code: The close code; see RFC 6455 §7.4 and protocol §1.5.
  ///   - reason: A text for people, of which at most 123 bytes are sent.
  public func close(code: UInt16, reason: String = "") {
    loop.assertInLoop()
    guard isOpen else { return }
    framing.close(code: code, reason: reason)
    end()
  }

  /// Sends what is queued and closes the connection without a close frame: the gentlest way to disconnect a core
  /// client (protocol §1.5).
  public func drop() {
    loop.assertInLoop()
    guard isOpen else { return }
    end()
  }

  /// Closes the connection immediately. Queued data is lost.
  public func terminate() {
    loop.assertInLoop()
    isEnding = true
    framing.stopReading()
    connection.close()
  }

  private func begin() {
    // Even if the connection has ended by now, what arrived before its end is delivered.
    if connection.isOpen { connection.onRead = { [self] in received($0) } }
    let bytes = early
    early = []
    bytes.withUnsafeBytes { received($0) }
    if !isPaused, isOpen { connection.resumeReading() }
  }

  private func end() {
    isEnding = true
    framing.stopReading()
    pump()
    connection.closeAfterFlushing()
  }

  private func pump() {
    framing.takeOutput { [connection] in connection.write($0) }
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard !isEnding, !bytes.isEmpty else { return }
    receivedByteCount += UInt64(bytes.count)
    isReceiving = true
    let failure = framing.receive(bytes) { [self] event in handle(event) }
    isReceiving = false
    if let failure {
      fail(failure)
    } else if framing.hasStoppedReading, !isEnding {
      stopped()
    } else {
      pump()
      throttleAfterPing()
    }
  }

  /// Stops reading from a client that sends pings but does not read the answers, until it has read some. A client never
  /// stops reading from a server, so the two cannot wait for each other.
  private func throttleAfterPing() {
    defer { hasPing = false }
    guard hasPing, role == .server, !isWritable, isOpen else { return }
    isThrottled = true
    connection.pauseReading()
  }

  private func handle(_ event: WebSocketFraming.Event) {
    guard !isEnding else { return }
    switch event {
    case .message(let bytes): onMessage?(bytes)
    case .ping: hasPing = true
    case .close(let code, let reason):
      closeCode = code ?? 1005
      closeReason = reason
    }
  }

  /// Handles the end of the stream for wslay, which has queued either the answer to a close frame or a frame that
  /// reports a violation.
  private func stopped() {
    if framing.hasReceivedClose { return end() }
    var output: [UInt8] = []
    framing.takeOutput { output += $0 }
    switch framing.sentCloseCode {
    case 1009?: fail(.tooLarge, output)
    case let code: fail(.violation(code: code ?? 1002), output)
    }
  }

  private func fail(_ failure: WebSocketFraming.Failure, _ output: [UInt8] = []) {
    switch failure {
    case .tooLarge:
      let text = "the peer sent a message of more than \(options.maximumMessageBytes) bytes"
      self.failure = TransportError(.tooLarge, text)
      if options.reportsOversizedMessages {
        connection.write(output)
      } else if let words = lastWordsToOversizedMessage?() {
        connection.write(frame(words))
      }
    case .violation(let code):
      let text = "the peer violated the WebSocket protocol (close code \(code))"
      self.failure = TransportError(.protocolViolation, text)
      connection.write(output.isEmpty ? closeFrame(code) : output)
    }
    isEnding = true
    connection.closeAfterFlushing()
  }

  /// Returns a close frame for violations that make wslay give up. It would then send a close frame without a code.
  private func closeFrame(_ code: UInt16) -> [UInt8] {
    let framing = WebSocketFraming(role, maximumMessageBytes: 0)
    var output: [UInt8] = []
    framing.close(code: code, reason: "")
    framing.takeOutput { output += $0 }
    return output
  }

  /// Returns a message in a separate frame, for when wslay sends no more.
  private func frame(_ message: [UInt8]) -> [UInt8] {
    let framing = WebSocketFraming(role, maximumMessageBytes: 0)
    var output: [UInt8] = []
    message.withUnsafeBytes { framing.send($0) }
    framing.takeOutput { output += $0 }
    return output
  }

  private func closed(_ error: TransportError?) {
    isEnding = true
    lastWordsToOversizedMessage = nil
    let onClose = onClose
    onMessage = nil
    onWritable = nil
    self.onClose = nil
    onClose?(ChannelClosure(code: closeCode, reason: closeReason, error: failure ?? error))
  }
}

extension WebSocket: MessageChannel {}
