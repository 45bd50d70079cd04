// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

/// A TCP connection, with or without TLS. Confined to the loop's thread.
///
/// The loop keeps it until it is closed. Output is gathered and written once at the end of each turn of the
/// loop. No handler is called during a call of one of its methods, so that owners need not expect re-entry.
public final class Connection: LoopResident, FlushesAtEndOfTurn {
  enum State {
    /// Not connected yet, or handlers not set yet.
    case idle
    case open
    /// Sends what is queued and then waits for the peer to close.
    case finishing
    case closed
  }

  /// Output that piles up within a turn is written as soon as it is this long, to bound memory.
  static let earlyFlushBytes = 128 * 1024

  /// The loop that it lives on.
  public let loop: EventLoop
  /// The other end's address, once started.
  public private(set) var peer: Endpoint?
  let handle: NativeHandle
  let options: ConnectionOptions
  var state = State.idle
  var tls: TLSSession?
  /// What was written in this turn, not yet encrypted.
  var outgoing: [UInt8] = []
  var isFlushScheduled = false
  /// The owner was told, or can see, that it should stop writing.
  var isAboveHighWater = false
  var isReading = false
  /// No more will be sent, which the peer has been told.
  var hasShutDown = false
  /// The peer will send no more.
  var hasReceivedEnd = false
  /// The socket, for options that libuv does not know; -1 if there is none.
  var descriptor: Int32 = -1
  private var closeError: TransportError?
  private var lingerTimer: TimerHandle?
  private var connectCompletion: ((Int32) -> Void)?
  /// What counts the connection as one of its address.
  var share: AddressCounts.Share?

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

  /// Whether it is neither closed nor closing.
  public var isOpen: Bool { state == .open || state == .idle }

  func loopStops() { close(with: .loopStopped) }

  func handleClosed() {
    let onClose = onClose
    share = nil
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

  /// The number of the socket, also before it is started; -1 if there is none.
  var fileDescriptor: Int {
    var number: Int32 = -1
    return uv_fileno(handle.pointer(), &number) == 0 ? Int(number) : -1
  }

  /// The address of the other end, also before it is started.
  var remoteHost: String? {
    SocketAddress(asking: { uv_tcp_getpeername(handle.pointer(), $0, $1) })?.endpoint?.host
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

  func connected(_ status: Int32) {
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
    peer = SocketAddress(asking: { uv_tcp_getpeername(handle.pointer(), $0, $1) })?.endpoint
    if uv_fileno(handle.pointer(), &descriptor) != 0 { descriptor = -1 }
    resumeReading()
    if tls != nil { advanceHandshake() }
    scheduleFlush()
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

  func shutDown() {
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
  func closeIfFinished() {
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
