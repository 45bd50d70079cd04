// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// Limits of a web socket.
public struct WebSocketOptions: Sendable {
  /// The longest message that is accepted, in bytes: by default changesets of 16 MiB and their envelopes.
  public var maximumMessageBytes = 16 * 1024 * 1024 + 64 * 1024
  /// Whether a longer message is answered with a close frame 1009. If not, the connection is just dropped, which is
  /// what Realm's clients need: to them 1009 means a client reset (protocol §1.5).
  public var reportsOversizedMessages = false

  /// The defaults.
  public init() {}
}

/// One end of a web socket (RFC 6455) for binary messages. Confined to the loop's thread.
///
/// The loop keeps it until it is closed. What is sent during a turn of the loop goes out together at its end.
/// Text messages are ignored, pings are answered and never sent (protocol §1.6), no extension is used. A peer
/// that violates the protocol is sent close code 1002 (1007 for malformed text) and dropped.
public final class WebSocket {
  /// The loop that it lives on.
  public let loop: EventLoop
  /// The sub-protocol that was agreed on.
  public let subprotocol: String?

  /// Gets each binary message; its bytes are valid only during the call.
  public var onMessage: ((UnsafeRawBufferPointer) -> Void)?
  /// Called once when the web socket has ended, for whatever reason, never during a call of one of its methods.
  public var onClose: ((ChannelClosure) -> Void)?
  /// Called when ``isWritable`` becomes true again.
  public var onWritable: (() -> Void)?
  /// Asked once if the peer sends a message that is longer than allowed: the last message that the peer gets, which may
  /// tell it not to try again.
  public var lastWordsToOversizedMessage: (() -> [UInt8])?

  /// How many bytes have come behind the handshake, also those of a message that is not complete yet.
  public private(set) var receivedByteCount: UInt64 = 0

  private let connection: Connection
  private let role: WebSocketFraming.Role
  private let framing: WebSocketFraming
  private let options: WebSocketOptions
  private var closeCode: UInt16?
  private var closeReason = ""
  private var failure: TransportError?
  /// No message is delivered or sent any more.
  private var isEnding = false
  private var isReceiving = false
  private var isPaused = false
  /// What came before the owner had set its handlers.
  private var early: [UInt8] = []

  /// - Parameters:
  ///   - connection: after the handshake; it has no handlers.
  ///   - input: what the peer has sent behind the handshake.
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
    connection.onWritable = { [self] in onWritable?() }
    connection.pauseReading()
    // The owner sets its handlers first; what TLS still has in hand meanwhile must not be lost.
    early = input
    connection.onRead = { [self] in early += $0 }
    loop.atEndOfTurn { [self] in begin() }
  }

  /// The address of the other end.
  public var peer: Endpoint? { connection.peer }

  /// Whether messages can be sent.
  public var isOpen: Bool { !isEnding && connection.isOpen }

  /// Bytes that wait to be sent.
  public var queuedBytes: Int { connection.queuedBytes }

  /// Whether little enough is queued to send more; if not, ``onWritable`` tells when it is.
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

  /// Slows the peer down: reads no more until ``resumeReading()``. Messages that have arrived may still come.
  public func pauseReading() {
    isPaused = true
    connection.pauseReading()
  }

  /// Reads again.
  public func resumeReading() {
    isPaused = false
    if isOpen { connection.resumeReading() }
  }

  /// Sends a close frame and ends the connection when the peer has answered, or after a few seconds. The stream is
  /// closed at once in this direction, for core clients ignore some close codes (protocol §1.5).
  /// - Parameters:
  ///   - code: see RFC 6455 §7.4 and protocol §1.5.
  ///   - reason: for people; at most 123 bytes are sent.
  public func close(code: UInt16, reason: String = "") {
    loop.assertInLoop()
    guard isOpen else { return }
    framing.close(code: code, reason: reason)
    end()
  }

  /// Closes the connection without a close frame after sending what is queued: the gentlest way to get rid of
  /// a core client (protocol §1.5).
  public func drop() {
    loop.assertInLoop()
    guard isOpen else { return }
    end()
  }

  /// Closes the connection at once; what is queued is lost.
  public func terminate() {
    loop.assertInLoop()
    isEnding = true
    framing.stopReading()
    connection.close()
  }

  private func begin() {
    // Also if the connection has ended meanwhile: what came before its end is delivered.
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
    }
  }

  private func handle(_ event: WebSocketFraming.Event) {
    guard !isEnding else { return }
    switch event {
    case .message(let bytes): onMessage?(bytes)
    case .close(let code, let reason):
      closeCode = code ?? 1005
      closeReason = reason
    }
  }

  /// wslay wants to end: it has queued the answer to a close frame, or one that reports a violation.
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

  /// For violations that make wslay give up, in which case it would send a close frame without a code.
  private func closeFrame(_ code: UInt16) -> [UInt8] {
    let framing = WebSocketFraming(role, maximumMessageBytes: 0)
    var output: [UInt8] = []
    framing.close(code: code, reason: "")
    framing.takeOutput { output += $0 }
    return output
  }

  /// A message as a frame of its own, when wslay sends no more.
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
