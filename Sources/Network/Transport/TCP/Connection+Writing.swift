// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

extension Connection {
  /// The number of bytes waiting to be sent.
  public var queuedBytes: Int {
    state == .closed ? 0 : outgoing.count + uv_stream_get_write_queue_size(handle.pointer())
  }

  /// Whether the number of queued bytes is at most the high-water mark. If not, ``onWritable`` is called when it is
  /// again.
  public var isWritable: Bool { queuedBytes <= options.highWaterMark }

  /// Queues bytes, which are sent at the end of the turn. Does nothing on a connection that is closing.
  public func write(_ bytes: UnsafeRawBufferPointer) {
    loop.assertInLoop()
    guard isOpen, !bytes.isEmpty else { return }
    guard queuedBytes + bytes.count <= options.maximumQueuedBytes else {
      let text = "the peer is not reading; more than \(options.maximumQueuedBytes) bytes are queued for it"
      return close(with: TransportError(.tooLarge, text))
    }
    outgoing.append(contentsOf: bytes)
    noteHighWater()
    if outgoing.count >= Self.earlyFlushBytes { sendOutgoing() }
    scheduleFlush()
  }

  /// Queues bytes, see ``write(_:)-(UnsafeRawBufferPointer)``.
  public func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  func scheduleFlush() {
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    loop.flushAtEndOfTurn(self)
  }

  /// Called by the loop at the end of a turn.
  func flush() {
    isFlushScheduled = false
    sendOutgoing()
    if state == .finishing, !hasShutDown, tls?.isSecured != false { shutDown() }
    reportWritable()
  }

  func sendOutgoing() {
    guard state == .open || state == .finishing, tls?.isSecured != false, !outgoing.isEmpty else { return }
    let bytes = outgoing
    outgoing = []
    bytes.withUnsafeBytes { tls == nil ? send($0) : encrypt($0) }
  }

  /// Lets ``onWritable`` be called later if the queue is too long now.
  private func noteHighWater() {
    if !isWritable { isAboveHighWater = true }
  }

  func reportWritable() {
    guard isAboveHighWater, isOpen, isWritable else { return }
    isAboveHighWater = false
    onWritable?()
  }

  func send(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty, state != .closed, let base = bytes.baseAddress else { return }
    var sent = 0
    if uv_stream_get_write_queue_size(handle.pointer()) == 0 {
      var buffer = uv_buf_init(
        UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: CChar.self),
        UInt32(bytes.count)
      )
      let code = uv_try_write(handle.pointer(), &buffer, 1)
      guard code >= 0 || code == UV_EAGAIN.rawValue else { return writeFailed(code) }
      sent = max(0, Int(code))
    }
    if sent < bytes.count { enqueue(UnsafeRawBufferPointer(rebasing: bytes[sent...])) }
  }

  /// Passes a copy of the bytes to libuv, in one allocation together with the request.
  func enqueue(_ bytes: UnsafeRawBufferPointer) {
    let header = MemoryLayout<uv_write_t>.stride
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: header + bytes.count, alignment: 16)
    let payload = UnsafeMutableRawBufferPointer(rebasing: memory[header...])
    payload.copyMemory(from: bytes)
    var buffer = uv_buf_init(
      payload.baseAddress?.assumingMemoryBound(to: CChar.self),
      UInt32(bytes.count)
    )
    let request = memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: uv_write_t.self)
    let code = uv_write(request, handle.pointer(), &buffer, 1) { request, status in
      guard let request else { return }
      let connection = NativeHandle.owner(request.pointee.handle.pointee.data, Connection.self)
      UnsafeMutableRawPointer(request).deallocate()
      connection?.wrote(status)
    }
    guard code == 0 else {
      memory.deallocate()
      return writeFailed(code)
    }
    // Encryption may have lengthened what `write` found short enough.
    noteHighWater()
  }

  func wrote(_ status: Int32) {
    guard state != .closed else { return }
    if status != 0 { return writeFailed(status) }
    reportWritable()
  }

  func writeFailed(_ code: Int32) {
    close(with: TransportError(code: code, action: "write to the connection"))
  }
}
