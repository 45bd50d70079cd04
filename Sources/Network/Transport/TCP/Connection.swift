// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

/// A TCP connection, with or without TLS. Confined to the loop's thread.
///
/// The loop retains the connection until it is closed. Output is collected and written once at the end of each turn
/// of the loop. Handlers are never called from within one of the connection's methods, so owners need not expect
/// re-entry.
public final class Connection: LoopResident, FlushesAtEndOfTurn {
  enum State {
    /// Not connected yet, or without handlers yet.
    case idle
    case open
    /// Sending what is queued, then waiting for the peer to close.
    case finishing
    case closed
  }

  /// Output collected within a turn is written early once it reaches this size, to limit memory use.
  static let earlyFlushBytes = 128 * 1024

  /// The loop that the connection lives on.
  public let loop: EventLoop
  /// The remote address, once the connection has started.
  public private(set) var peer: Endpoint?
  let handle: NativeHandle
  let options: ConnectionOptions
  var state = State.idle
  var tls: TLSSession?
  /// The output written in this turn, not yet encrypted.
  var outgoing: [UInt8] = []
  var isFlushScheduled = false
  /// Whether the owner has been notified, or can see, that it should stop writing.
  var isAboveHighWater = false
  var isReading = false
  /// Whether the peer has been notified that no more data will be sent.
  var hasShutDown = false
  /// Whether the peer has announced that it will send no more data.
  var hasReceivedEnd = false
  /// The socket, for options that libuv does not support; -1 if there is none.
  var descriptor: Int32 = -1
  private var closeError: TransportError?
  private var lingerTimer: TimerHandle?
  private var connectCompletion: ((Int32) -> Void)?
  /// The share that counts this connection towards its address.
  var share: AddressCounts.Share?

  /// Called with incoming bytes, which are valid only during the call.
  public var onRead: ((UnsafeRawBufferPointer) -> Void)?
  /// Called once when the connection has closed for any reason. The argument is nil if either side closed it
  /// properly.
  public var onClose: ((TransportError?) -> Void)?
  /// Called when ``isWritable`` becomes true again.
  public var onWritable: (() -> Void)?
  /// Called when the TLS handshake has finished. Not called on plain connections.
  var onSecured: (() -> Void)?

  init(loop: EventLoop, options: ConnectionOptions) {
    self.loop = loop
    self.options = options
    handle = NativeHandle(loop: loop, layout: uv_tcp_t.self)
    uv_tcp_init(loop.raw, handle.pointer())
    handle.attach(to: self)
  }

  /// Whether the connection is neither closed nor closing.
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

  /// The number of the socket, available even before the start; -1 if there is none.
  var fileDescriptor: Int {
    var number: Int32 = -1
    return uv_fileno(handle.pointer(), &number) == 0 ? Int(number) : -1
  }

  /// The remote address, available even before the start.
  var remoteHost: String? {
    SocketAddress(asking: { uv_tcp_getpeername(handle.pointer(), $0, $1) })?.endpoint?.host
  }

  /// Connects to an address. `completion` receives libuv's status in a later turn, unless the connection is closed
  /// first.
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

  /// Adds TLS to the connection. Call it before ``start()``.
  func secure(with session: TLSSession) {
    tls = session
  }

  /// Starts reading, and sends what has already been written.
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
  /// Closes the connection immediately. Unsent data is lost. ``onClose`` follows.
  public func close() {
    close(with: nil)
  }

  /// Sends what is queued, then shuts down the output and waits for the peer to close, at most for a few seconds;
  /// further input is discarded. Closing with unread input would make the system send a reset, which could cost the
  /// peer the last bytes sent to it.
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

  /// Closes the connection if both directions have ended and libuv's write queue is empty.
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
