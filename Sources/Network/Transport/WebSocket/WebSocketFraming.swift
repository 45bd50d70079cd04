// SPDX-License-Identifier: Apache-2.0

import CWslay
import FlexSyncCrypto

/// The framing of one end of a web socket (RFC 6455 §5), implemented by wslay. Performs no I/O. Confined to a loop's
/// thread.
///
/// wslay answers pings and close frames, unmasks, and joins fragments. It rejects reserved bits, wrong masking and
/// other violations by queueing a close frame itself.
final class WebSocketFraming {
  enum Role {
    case client
    case server
  }

  enum Event {
    case message(UnsafeRawBufferPointer)
    /// A ping, to which the answer is queued.
    case ping
    case close(code: UInt16?, reason: String)
  }

  /// The reason that no more input can be read.
  enum Failure: Equatable {
    case tooLarge
    case violation(code: UInt16)
  }

  private var context: wslay_event_context_ptr?
  private var input = UnsafeRawBufferPointer(start: nil, count: 0)
  private var sink: ((UnsafeRawBufferPointer) -> Void)?
  private var onEvent: ((Event) -> Void)?
  private let maximumFragments: Int
  /// The number of frames received so far for the current message.
  private var fragmentCount = 0
  private var hasTooManyFragments = false

  /// The default limit on fragments. wslay keeps some dozens of bytes for each fragment, so a message of many tiny
  /// fragments would take much more memory than its length. This many fragments take some MiB. No known client sends
  /// fragments at all.
  static let standardMaximumFragments = 65_536

  init(_ role: Role, maximumMessageBytes: Int, maximumFragments: Int = standardMaximumFragments) {
    self.maximumFragments = maximumFragments
    var callbacks = wslay_event_callbacks()
    callbacks.recv_callback = { context, buffer, length, _, user in
      WebSocketFraming.from(user).provide(buffer, length, context)
    }
    callbacks.send_callback = { _, data, length, _, user in
      WebSocketFraming.from(user).sink?(UnsafeRawBufferPointer(start: data, count: length))
      return length
    }
    callbacks.genmask_callback = { _, buffer, length, _ in
      guard let buffer else { return -1 }
      let mask = RandomBytes.generate(count: length)
      buffer.update(from: mask, count: length)
      return 0
    }
    callbacks.on_frame_recv_start_callback = { _, argument, user in
      guard let argument else { return }
      WebSocketFraming.from(user).begin(frame: UInt32(argument.pointee.opcode))
    }
    callbacks.on_msg_recv_callback = { _, argument, user in
      guard let argument else { return }
      WebSocketFraming.from(user).received(argument.pointee)
    }
    let user = Unmanaged.passUnretained(self).toOpaque()
    let code =
      switch role {
      case .client: wslay_event_context_client_init(&context, &callbacks, user)
      case .server: wslay_event_context_server_init(&context, &callbacks, user)
      }
    precondition(code == 0, "WebSocketFraming: out of memory")
    wslay_event_config_set_max_recv_msg_length(context, UInt64(maximumMessageBytes))
  }

  deinit { wslay_event_context_free(context) }

  /// Processes input and reports complete events. A message is valid only during the call of `onEvent`, which may
  /// call ``stopReading()``.
  /// - Returns: The reason that the rest of the input cannot be read; nil if there is none.
  func receive(_ bytes: UnsafeRawBufferPointer, onEvent: @escaping (Event) -> Void) -> Failure? {
    input = bytes
    self.onEvent = onEvent
    let code = withExtendedLifetime(self) { wslay_event_recv(context) }
    self.onEvent = nil
    input = UnsafeRawBufferPointer(start: nil, count: 0)
    if hasTooManyFragments { return .violation(code: 1008) }
    if code == WSLAY_ERR_NOMEM.rawValue { return .tooLarge }
    if code != 0 { return .violation(code: 1002) }
    return nil
  }

  /// Whether wslay accepts no more input because it has received a close frame or found a violation.
  var hasStoppedReading: Bool { wslay_event_get_read_enabled(context) == 0 }

  /// Ignores all further input.
  func stopReading() { wslay_event_shutdown_read(context) }

  /// The code of the close frame that was sent, available once ``takeOutput(_:)`` has passed it on.
  var sentCloseCode: UInt16? {
    wslay_event_get_close_sent(context) == 0 ? nil : wslay_event_get_status_code_sent(context)
  }

  var hasReceivedClose: Bool { wslay_event_get_close_received(context) != 0 }

  /// Queues a binary message. After a close frame, the message is dropped.
  func send(_ bytes: UnsafeRawBufferPointer) {
    var message = wslay_event_msg()
    message.opcode = UInt8(WSLAY_BINARY_FRAME.rawValue)
    message.msg = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    message.msg_length = bytes.count
    let code = wslay_event_queue_msg(context, &message)
    precondition(code != WSLAY_ERR_NOMEM.rawValue, "WebSocketFraming: out of memory")
  }

  /// Queues a close frame. The reason is truncated to the 123 bytes that fit.
  func close(code: UInt16, reason: String) {
    var bytes = Array(reason.utf8.prefix(123))
    while String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
    _ = wslay_event_queue_close(context, code, bytes, bytes.count)
  }

  /// Passes on the frames waiting to be sent, in pieces.
  func takeOutput(_ sink: @escaping (UnsafeRawBufferPointer) -> Void) {
    self.sink = sink
    while wslay_event_want_write(context) != 0, wslay_event_send(context) == 0 {}
    self.sink = nil
  }

  private static func from(_ user: UnsafeMutableRawPointer?) -> WebSocketFraming {
    Unmanaged<WebSocketFraming>.fromOpaque(user.unsafelyUnwrapped).takeUnretainedValue()
  }

  private func begin(frame opcode: UInt32) {
    switch opcode {
    case WSLAY_CONTINUATION_FRAME.rawValue: fragmentCount += 1
    case WSLAY_TEXT_FRAME.rawValue, WSLAY_BINARY_FRAME.rawValue: fragmentCount = 1
    default: return
    }
    guard fragmentCount > maximumFragments else { return }
    hasTooManyFragments = true
    stopReading()
  }

  private func provide(
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ length: Int,
    _ context: wslay_event_context_ptr?
  ) -> Int {
    let count = min(length, input.count)
    guard count > 0, let buffer else {
      wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
      return -1
    }
    UnsafeMutableRawBufferPointer(start: buffer, count: count)
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }

  private func received(_ message: wslay_event_on_msg_recv_arg) {
    let bytes = UnsafeRawBufferPointer(start: message.msg, count: message.msg_length)
    switch UInt32(message.opcode) {
    case WSLAY_BINARY_FRAME.rawValue: onEvent?(.message(bytes))
    case WSLAY_CONNECTION_CLOSE.rawValue:
      let reason = String(decoding: bytes.dropFirst(2), as: UTF8.self)
      onEvent?(.close(code: message.status_code == 0 ? nil : message.status_code, reason: reason))
    case WSLAY_PING.rawValue: onEvent?(.ping)  // wslay has already queued the answer.
    default: break  // Text is ignored (protocol §1.6).
    }
  }
}
