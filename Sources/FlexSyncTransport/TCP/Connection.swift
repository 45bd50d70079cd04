// SPDX-License-Identifier: Apache-2.0

import CLibuv

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How a connection behaves.
public struct ConnectionOptions: Sendable {
  /// Asks Linux, before each read, to acknowledge at once. Core clients send small messages under Nagle's
  /// algorithm and wait for the acknowledgement of one before they send the next: this saves them 40 ms
  /// (peer-client §5). Without effect on other systems.
  public var acknowledgesQuickly = false
  /// Bytes queued for output above which ``Connection/isWritable`` is false.
  public var highWaterMark = 256 * 1024
  /// Bytes queued for output above which the connection is closed with a `tooLarge` error: the peer does not
  /// read.
  public var maximumQueuedBytes = 256 * 1024 * 1024
  /// How long ``Connection/closeAfterFlushing()`` waits for the peer, in milliseconds.
  public var lingerMilliseconds: UInt64 = 5_000

  /// The defaults.
  public init() {}
}

/// A TCP connection, with or without TLS. Confined to the loop's thread.
///
/// The loop keeps it until it is closed. Output is gathered and written once at the end of each turn of the
/// loop. No handler is called during a call of one of its methods, so that owners need not expect re-entry.
public final class Connection: LoopResident {
  private enum State {
    /// Not connected yet, or handlers not set yet.
    case idle
    case open
    /// Sends what is queued and then waits for the peer to close.
    case finishing
    case closed
  }

  /// Output that piles up within a turn is written as soon as it is this long, to bound memory.
  private static let earlyFlushBytes = 128 * 1024

  /// The loop that it lives on.
  public let loop: EventLoop
  private let handle: NativeHandle
  private let options: ConnectionOptions
  private var state = State.idle
  private var tls: TLSSession?
  private var outgoing: [UInt8] = []
  private var isFlushScheduled = false
  private var isAboveHighWater = false
  private var isReading = false
  private var closeError: TransportError?
  private var lingerTimer: TimerHandle?
  private var hasShutDown = false
  private var hasReceivedEnd = false
  private var connectCompletion: ((Int32) -> Void)?
  private var descriptor: Int32 = -1

  /// Gets the bytes that arrive. They are valid only during the call.
  public var onRead: ((UnsafeRawBufferPointer) -> Void)?
  /// Called once, when the connection is closed for whatever reason: nil if one of the two ends closed it in
  /// good order.
  public var onClose: ((TransportError?) -> Void)?
  /// Called when ``isWritable`` becomes true again.
  public var onWritable: (() -> Void)?
  /// Called when the TLS handshake is done; not on plain connections.
  var onSecured: (() -> Void)?

  init(loop: EventLoop, options: ConnectionOptions) {
    self.loop = loop
    self.options = options
    handle = NativeHandle(loop: loop, layout: uv_tcp_t.self)
    uv_tcp_init(loop.raw, handle.pointer())
    handle.attach(to: self)
  }

  /// The other end's address, while connected.
  public var peer: Endpoint? {
    guard state != .closed else { return nil }
    return SocketAddress(asking: { uv_tcp_getpeername(handle.pointer(), $0, $1) })?.endpoint
  }

  /// Whether it is neither closed nor closing.
  public var isOpen: Bool { state == .open || state == .idle }

  func loopStops() { close(with: .loopStopped) }

  func handleClosed() {
    let onClose = onClose
    onRead = nil
    onWritable = nil
    onSecured = nil
    self.onClose = nil
    outgoing = []
    lingerTimer?.cancel()
    onClose?(closeError)
  }
}

// MARK: - Opening

extension Connection {
  func accept(from listener: UnsafeMutablePointer<uv_stream_t>) -> Bool {
    uv_accept(listener, handle.pointer()) == 0
  }

  /// `completion` gets libuv's status, during a later turn, unless the connection is closed before.
  func connect(to address: SocketAddress, completion: @escaping (Int32) -> Void) {
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    connectCompletion = completion
    let code = address.withSocketAddress {
      uv_tcp_connect(request, handle.pointer(), $0) { request, status in
        guard let request else { return }
        let connection = NativeHandle.owner(request.pointee.handle.pointee.data, Connection.self)
        request.deallocate()
        connection?.connected(status)
      }
    }
    guard code != 0 else { return }
    request.deallocate()
    loop.atEndOfTurn { [self] in connected(code) }
  }

  private func connected(_ status: Int32) {
    let completion = connectCompletion
    connectCompletion = nil
    if state == .idle { completion?(status) }
  }

  /// Puts TLS on the connection. Before ``start()``.
  func secure(with session: TLSSession) {
    tls = session
  }

  /// Begins to read; what was written before is sent.
  public func start() {
    loop.assertInLoop()
    guard state == .idle else { return }
    state = .open
    uv_tcp_nodelay(handle.pointer(), 1)
    if uv_fileno(handle.pointer(), &descriptor) != 0 { descriptor = -1 }
    resumeReading()
    if tls != nil { advanceHandshake() }
    scheduleFlush()
  }
}

// MARK: - Reading

extension Connection {
  /// Stops reading, so that the peer is slowed down. A part that has arrived already may still be delivered.
  public func pauseReading() {
    guard isReading else { return }
    isReading = false
    uv_read_stop(handle.pointer())
  }

  /// Reads again.
  public func resumeReading() {
    loop.assertInLoop()
    guard !isReading, state == .open || state == .finishing, !hasReceivedEnd else { return }
    isReading = true
    let code = uv_read_start(
      handle.pointer(),
      { handle, _, buffer in
        guard let connection = NativeHandle.owner(handle?.pointee.data, Connection.self) else { return }
        connection.acknowledgeQuickly()
        let memory = connection.loop.readBuffer
        buffer?.pointee = uv_buf_init(
          memory.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt32(memory.count)
        )
      },
      { stream, count, buffer in
        guard count != 0, let connection = NativeHandle.owner(stream?.pointee.data, Connection.self) else {
          return
        }
        connection.received(count, buffer?.pointee.base)
      }
    )
    if code != 0 { close(with: TransportError(code: code, action: "read from the connection")) }
  }

  private func acknowledgeQuickly() {
    #if canImport(Glibc)
    guard options.acknowledgesQuickly, descriptor >= 0 else { return }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  private func received(_ count: Int, _ base: UnsafeMutablePointer<CChar>?) {
    guard count > 0 else { return ended(Int32(truncatingIfNeeded: count)) }
    guard state == .open else { return }
    let bytes = UnsafeRawBufferPointer(start: base, count: count)
    if tls == nil {
      onRead?(bytes)
    } else {
      decrypt(bytes)
    }
  }

  private func ended(_ status: Int32) {
    hasReceivedEnd = true
    guard status == UV_EOF.rawValue else {
      return close(with: TransportError(code: status, action: "read from the connection"))
    }
    switch state {
    case .finishing:
      isReading = false
      uv_read_stop(handle.pointer())
      closeIfFinished()
    case .open where tls?.isTruncatedByEnd == true:
      close(with: TransportError(.connectionLost, "the peer closed the connection in the middle of TLS"))
    default:
      close(with: nil)
    }
  }
}

// MARK: - Writing

extension Connection {
  /// Bytes that wait to be sent.
  public var queuedBytes: Int {
    state == .closed ? 0 : outgoing.count + uv_stream_get_write_queue_size(handle.pointer())
  }

  /// Whether fewer bytes are queued than the high-water mark; if not, ``onWritable`` tells when they are.
  public var isWritable: Bool { queuedBytes <= options.highWaterMark }

  /// Queues bytes; they are sent at the end of the turn. Does nothing on a connection that closes.
  public func write(_ bytes: UnsafeRawBufferPointer) {
    loop.assertInLoop()
    guard isOpen, !bytes.isEmpty else { return }
    guard queuedBytes + bytes.count <= options.maximumQueuedBytes else {
      let text = "the peer does not read; more than \(options.maximumQueuedBytes) bytes wait for it"
      return close(with: TransportError(.tooLarge, text))
    }
    outgoing.append(contentsOf: bytes)
    isAboveHighWater = isAboveHighWater || !isWritable
    if outgoing.count >= Self.earlyFlushBytes { sendOutgoing() }
    scheduleFlush()
  }

  /// Queues bytes, see ``write(_:)-(UnsafeRawBufferPointer)``.
  public func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  private func scheduleFlush() {
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

  private func sendOutgoing() {
    guard state == .open || state == .finishing, tls?.isSecured != false, !outgoing.isEmpty else { return }
    let bytes = outgoing
    outgoing = []
    bytes.withUnsafeBytes { tls == nil ? send($0) : encrypt($0) }
  }

  private func reportWritable() {
    guard isAboveHighWater, isOpen, isWritable else { return }
    isAboveHighWater = false
    onWritable?()
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
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

  /// Leaves a copy of the bytes to libuv, in one allocation with the request.
  private func enqueue(_ bytes: UnsafeRawBufferPointer) {
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
    guard code != 0 else { return }
    memory.deallocate()
    writeFailed(code)
  }

  private func wrote(_ status: Int32) {
    guard state != .closed else { return }
    if status != 0 { return writeFailed(status) }
    reportWritable()
  }

  private func writeFailed(_ code: Int32) {
    close(with: TransportError(code: code, action: "write to the connection"))
  }
}

// MARK: - TLS

extension Connection {
  private func advanceHandshake() {
    guard let tls, !tls.isSecured else { return }
    do {
      let isSecured = try tls.handshake()
      tls.takeOutput { send($0) }
      if isSecured {
        onSecured?()
        scheduleFlush()
      }
    } catch {
      tls.takeOutput { send($0) }
      close(with: error)
    }
  }

  private func decrypt(_ bytes: UnsafeRawBufferPointer) {
    guard let tls else { return }
    do {
      var rest = bytes
      while !rest.isEmpty, state == .open {
        rest = tls.receive(rest)
        if !tls.isSecured { advanceHandshake() }
        guard tls.isSecured else { continue }
        let ended = try tls.read(into: loop.plaintextBuffer) { plaintext in
          onRead?(plaintext)
          return state == .open
        }
        if ended, state == .open { close(with: nil) }
      }
      tls.takeOutput { send($0) }
    } catch {
      tls.takeOutput { send($0) }
      close(with: error)
    }
  }

  private func encrypt(_ bytes: UnsafeRawBufferPointer) {
    guard let tls else { return }
    do {
      try tls.write(bytes) { send($0) }
    } catch {
      close(with: error)
    }
  }
}

// MARK: - Closing

extension Connection {
  /// Closes at once; what was not sent yet is lost. ``onClose`` follows.
  public func close() {
    close(with: nil)
  }

  /// Sends what is queued, then says that there is no more and waits for the peer to close, for a few seconds
  /// at most; what it still sends is discarded. To close while input is unread would make the system send a
  /// reset, which may cost the peer the last bytes that it was sent.
  public func closeAfterFlushing() {
    loop.assertInLoop()
    guard isOpen else { return }
    if state == .idle { return close(with: nil) }
    state = .finishing
    lingerTimer = loop.schedule(afterMilliseconds: options.lingerMilliseconds) { [weak self] in
      self?.close(with: nil)
    }
    resumeReading()
    scheduleFlush()
  }

  private func shutDown() {
    hasShutDown = true
    if let tls {
      tls.sayGoodbye()
      tls.takeOutput { send($0) }
    }
    guard state != .closed else { return }
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let code = uv_shutdown(request, handle.pointer()) { request, _ in
      guard let request else { return }
      let connection = NativeHandle.owner(request.pointee.handle.pointee.data, Connection.self)
      request.deallocate()
      connection?.closeIfFinished()
    }
    guard code != 0 else { return }
    request.deallocate()
    close(with: nil)
  }

  /// Both directions have ended, or the write side has and the peer had closed before.
  private func closeIfFinished() {
    if hasReceivedEnd, hasShutDown, uv_stream_get_write_queue_size(handle.pointer()) == 0 { close(with: nil) }
  }

  func close(with error: TransportError?) {
    loop.assertInLoop()
    guard state != .closed else { return }
    state = .closed
    isReading = false
    closeError = error
    lingerTimer?.cancel()
    handle.close()
  }
}
