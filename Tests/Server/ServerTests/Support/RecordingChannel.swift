// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncWire

/// A client's end of a connection without a network: what is sent is received at once.
final class RecordingChannel: MessageChannel {
  let subprotocol: String? = nil
  var onMessage: ((UnsafeRawBufferPointer) -> Void)?
  var onClose: ((ChannelClosure) -> Void)?
  var onWritable: (() -> Void)?
  private(set) var isOpen = true
  var isWritable = true
  /// Called with each message of the server.
  var onReceive: ((ServerMessage) -> Void)?
  private(set) var received: [ServerMessage] = []
  /// The messages as they were sent.
  private(set) var receivedBytes: [[UInt8]] = []

  func send(_ message: [UInt8]) {
    receivedBytes.append(message)
    guard let message = try? ServerMessage.decode(message) else { return }
    received.append(message)
    onReceive?(message)
  }

  func drop() { isOpen = false }

  private(set) var isPaused = false

  func pauseReading() { isPaused = true }

  func resumeReading() { isPaused = false }

  /// Lets the server have a message.
  func put(_ message: ClientMessage) { message.encode().withUnsafeBytes { onMessage?($0) } }
}
