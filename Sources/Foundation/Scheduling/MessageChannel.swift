// SPDX-License-Identifier: Apache-2.0

/// A connection that carries whole messages in order: what the sync engines of both sides know of a web socket.
/// `WebSocket` is the real one; a simulation brings its own.
public protocol MessageChannel: AnyObject {
  /// The sub-protocol that was agreed on.
  var subprotocol: String? { get }
  /// Gets each message; its bytes are valid only during the call.
  var onMessage: ((UnsafeRawBufferPointer) -> Void)? { get set }
  /// Called once when the channel has ended, for whatever reason, never during a call of one of its methods.
  var onClose: ((ChannelClosure) -> Void)? { get set }
  /// Called when ``isWritable`` becomes true again.
  var onWritable: (() -> Void)? { get set }
  /// Whether messages can be sent.
  var isOpen: Bool { get }
  /// Whether little enough is queued to send more; if not, ``onWritable`` tells when it is.
  var isWritable: Bool { get }
  /// How many bytes have come, also those of a message that is not complete yet. A channel that knows only whole messages
  /// need not count.
  var receivedByteCount: UInt64 { get }
  /// Sends a message. Does nothing on a channel that has ended.
  func send(_ message: [UInt8])
  /// Ends the channel without a word, after sending what is queued.
  func drop()
  /// Ends the channel with a reason, after sending what is queued. A channel that knows no reasons is dropped.
  ///
  /// - Parameters:
  ///   - code: see protocol §1.5.
  ///   - reason: for people.
  func close(code: UInt16, reason: String)
  /// Slows the other end down: takes no more messages until ``resumeReading()``. Some that have arrived may still come.
  func pauseReading()
  /// Takes messages again.
  func resumeReading()
}

extension MessageChannel {
  public var receivedByteCount: UInt64 { 0 }
  public func close(code: UInt16, reason: String) { drop() }
}

/// How a channel ended.
public struct ChannelClosure: Sendable, Equatable {
  /// The code of the peer's close frame: 1005 if it had none, nil if the peer sent no close frame.
  public let code: UInt16?
  /// The reason of the peer's close frame.
  public let reason: String
  /// What went wrong; nil if one of the two ends closed in good order.
  public let error: TransportError?

  /// Describes an end.
  public init(code: UInt16?, reason: String, error: TransportError?) {
    self.code = code
    self.reason = reason
    self.error = error
  }
}
