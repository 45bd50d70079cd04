// SPDX-License-Identifier: Apache-2.0

/// A connection that carries complete messages in order. The sync engines of client and server use a WebSocket only
/// through this protocol, so that the simulator can replace it.
public protocol MessageChannel: AnyObject {
  /// The negotiated sub-protocol.
  var subprotocol: String? { get }
  /// Called with each incoming message. Its bytes are valid only during the call.
  var onMessage: ((UnsafeRawBufferPointer) -> Void)? { get set }
  /// Called once when the channel has ended for any reason; never from within one of the channel's methods.
  var onClose: ((ChannelClosure) -> Void)? { get set }
  /// Called when ``isWritable`` becomes true again.
  var onWritable: (() -> Void)? { get set }
  /// Whether messages can be sent.
  var isOpen: Bool { get }
  /// Whether the queue is short enough for more messages. If it is not, ``onWritable`` is called when it is again.
  var isWritable: Bool { get }
  /// The number of bytes received, including those of an incomplete message. 0 for a channel that only sees complete
  /// messages.
  var receivedByteCount: UInt64 { get }
  /// Queues a message. Does nothing on a channel that has ended.
  func send(_ message: [UInt8])
  /// Sends the queued messages and ends the channel without a close frame.
  func drop()
  /// Sends the queued messages and ends the channel with a close frame. A channel without close frames is dropped.
  ///
  /// - Parameters:
  ///   - code: The close code (protocol §1.5).
  ///   - reason: A text for people.
  func close(code: UInt16, reason: String)
  /// Stops reading until ``resumeReading()``, which slows the peer down. Messages that have already arrived may still
  /// be delivered.
  func pauseReading()
  /// Resumes reading after ``pauseReading()``.
  func resumeReading()
}

extension MessageChannel {
  public var receivedByteCount: UInt64 { 0 }
  public func close(code: UInt16, reason: String) { drop() }
}

/// The way a channel ended.
public struct ChannelClosure: Sendable, Equatable {
  /// The code of the peer's close frame: 1005 if it had none, nil if the peer sent no close frame.
  public let code: UInt16?
  /// The reason of the peer's close frame.
  public let reason: String
  /// The error that broke the channel; nil if either side closed it properly.
  public let error: TransportError?

  /// - Parameters: The properties of the same names.
  public init(code: UInt16?, reason: String, error: TransportError?) {
    self.code = code
    self.reason = reason
    self.error = error
  }
}
