// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A libuv loop and the thread that it runs on.
///
/// ## Threads Everything on a loop (timers, listeners, connections, web sockets) is confined to the loop's thread: it
/// may only be used there, and calls back there, which assertions check. ``execute(_:)``, ``stop()`` and ``join()``
/// are safe from any thread. Until the loop first runs, its thread is the one that created it, so that a program can
/// set things up before it starts the loop.
///
/// ## Hosting A loop is driven in one of three ways (Docs/Architecture.md):
/// - ``start()`` runs it on a thread of its own, ``run()`` on the caller's;
/// - ``init(hostLoop:)`` embeds it in a `uv_loop_t` run by the host program;
/// - a host without libuv waits for ``pollDescriptor`` and calls ``runPending()``.
///
/// Every loop must be stopped with ``stop()``. It retains itself until then.
public final class EventLoop: @unchecked Sendable {
  struct Shared {
    var queue: [@Sendable () -> Void] = []
    var stopRequested = false
    /// Whether nothing more can be posted. The wake-up handle may no longer exist then.
    var isFinished = false
  }

  /// The maximum time that posted work may occupy the loop before it reads and writes again.
  private static let postedWorkNanoseconds: UInt64 = 5_000_000

  let raw: UnsafeMutablePointer<uv_loop_t>
  let ownsRaw: Bool
  let wake = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
  private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  private let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
  var openSystemHandles = 3

  let shared = Mutex(Shared())
  let currentThread: Atomic<UInt>
  let thread = LoopThread()
  let hasEnded = Atomic(false)

  // The following properties are confined to the loop's thread.
  private var handles: [ObjectIdentifier: NativeHandle] = [:]
  var turnActions: [() -> Void] = []
  private(set) var unflushed: [any FlushesAtEndOfTurn] = []
  /// Whether the loop is closing everything on it, and nothing new may start. Access it on the loop's thread.
  public private(set) var isStopping = false
  /// Whether the loop's own handles are closing.
  private var isEnding = false
  var isClosed = false
  /// The buffer that all connections of this loop read into; valid only during a read callback.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
  /// The buffer that TLS connections decrypt into; valid only during a read callback.
  let plaintextBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)

  /// Creates a separate loop.
  /// - Throws: ``TransportError`` if the operating system has no descriptors left for it.
  public convenience init() throws(TransportError) {
    let raw = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let code = uv_loop_init(raw)
    guard code == 0 else {
      raw.deallocate()
      throw TransportError(code: code, action: "create an event loop")
    }
    try self.init(raw: raw, ownsRaw: true)
  }

  /// Creates a loop that is embedded in a loop of the host program.
  ///
  /// Must be called on the thread that runs the host's loop. The host must ignore `SIGPIPE`, as programs that use
  /// libuv do. The host's `uv_run` does not return on its own before ``stop()``.
  /// - Parameter hostLoop: A `uv_loop_t *` that remains valid until this object's ``stop()`` has taken full effect.
  /// - Throws: ``TransportError`` if the operating system has no descriptors left.
  public convenience init(hostLoop: UnsafeMutableRawPointer) throws(TransportError) {
    try self.init(raw: hostLoop.assumingMemoryBound(to: uv_loop_t.self), ownsRaw: false)
  }

  private init(raw: UnsafeMutablePointer<uv_loop_t>, ownsRaw: Bool) throws(TransportError) {
    self.raw = raw
    self.ownsRaw = ownsRaw
    currentThread = Atomic(LoopThread.current)
    let code = uv_async_init(raw, wake) { EventLoop.from($0?.pointee.data).drainQueue() }
    guard code == 0 else {
      if ownsRaw { Self.destroy(raw) }
      openSystemHandles = 0
      isClosed = true
      throw TransportError(code: code, action: "create an event loop")
    }
    startSystemHandles()
  }

  deinit {
    wake.deallocate()
    prepare.deallocate()
    check.deallocate()
    readBuffer.deallocate()
    plaintextBuffer.deallocate()
  }

  private func startSystemHandles() {
    // Released when the last of the three handles has been closed.
    let data = Unmanaged.passRetained(self).toOpaque()
    wake.pointee.data = data
    uv_prepare_init(raw, prepare)
    uv_check_init(raw, check)
    prepare.pointee.data = data
    check.pointee.data = data
    // Actions caused by timers run before the loop waits, those caused by input right after it was read.
    uv_prepare_start(prepare) { EventLoop.from($0?.pointee.data).finishTurn() }
    uv_check_start(check) { EventLoop.from($0?.pointee.data).finishTurn() }
    for handle in [UnsafeMutableRawPointer(prepare), UnsafeMutableRawPointer(check)] {
      uv_unref(handle.assumingMemoryBound(to: uv_handle_t.self))
    }
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
  }

  static func destroy(_ raw: UnsafeMutablePointer<uv_loop_t>) {
    let code = uv_loop_close(raw)
    precondition(code == 0, "EventLoop: closed while handles are open: \(String(cString: uv_strerror(code)))")
    raw.deallocate()
  }
}

extension EventLoop {
  /// Whether the caller is on the loop's thread.
  public var isInLoop: Bool { currentThread.load(ordering: .relaxed) == LoopThread.current }

  /// Stops a debug build if the caller is not on the loop's thread.
  public func assertInLoop() {
    assert(isInLoop, "an object that belongs to an event loop was used from another thread")
  }

  /// Runs `work` on the loop, after everything posted before it. Safe from any thread.
  /// - Returns: False, without keeping `work`, if the loop has stopped.
  @discardableResult
  public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
    shared.withLock { shared in
      guard !shared.isFinished else { return false }
      // A single wake-up covers everything posted until the loop takes it. It is sent while the lock is held, because
      // the handle may be closed as soon as the lock is released.
      if shared.queue.isEmpty { uv_async_send(wake) }
      shared.queue.append(work)
      return true
    }
  }

  /// Runs `action` once at the end of this turn of the loop: after all available input has been read, and before the
  /// loop writes and waits again. A server collects the messages of a turn and commits them here.
  public func atEndOfTurn(_ action: @escaping () -> Void) {
    assertInLoop()
    turnActions.append(action)
  }

  /// The monotonic clock in milliseconds, as of the start of this turn.
  public var now: UInt64 {
    assertInLoop()
    return uv_now(raw)
  }

  /// The monotonic clock in milliseconds at this instant. Safe from any thread.
  public static var monotonicMilliseconds: UInt64 { uv_hrtime() / 1_000_000 }

  func flushAtEndOfTurn(_ output: any FlushesAtEndOfTurn) { unflushed.append(output) }

  func register(_ handle: NativeHandle) {
    assertInLoop()
    handles[ObjectIdentifier(handle)] = handle
  }

  func unregister(_ handle: NativeHandle) {
    handles[ObjectIdentifier(handle)] = nil
  }

  private func drainQueue() {
    let work = shared.withLock { shared in
      defer { shared.queue = [] }
      return shared.queue
    }
    let end = uv_hrtime() + EventLoop.postedWorkNanoseconds
    var rest = work[...]
    while let item = rest.popFirst() {
      item()
      if uv_hrtime() >= end { break }
    }
    let isToStop = shared.withLock { shared in
      // The loop reads and writes before it continues with the rest.
      if !rest.isEmpty { uv_async_send(wake) }
      shared.queue = rest + shared.queue
      return shared.stopRequested && rest.isEmpty
    }
    if isToStop, !isStopping { close() }
  }

  private func finishTurn() {
    while true {
      if !turnActions.isEmpty {
        let actions = turnActions
        turnActions = []
        for action in actions { action() }
      } else if !unflushed.isEmpty {
        let outputs = unflushed
        unflushed = []
        for output in outputs { output.flush() }
      } else {
        return
      }
    }
  }

  private func close() {
    isStopping = true
    finishTurn()
    let late = shared.withLock { shared in
      shared.isFinished = true
      defer { shared.queue = [] }
      return shared.queue
    }
    for item in late { item() }
    for handle in Array(handles.values) where !handle.isClosing { handle.loopStops() }
    endIfEmpty()
  }

  /// Closes the loop's own handles once a stopping loop has no other handles left, so nothing new can start.
  func endIfEmpty() {
    guard isStopping, handles.isEmpty, !isEnding else { return }
    isEnding = true
    finishTurn()
    for handle in [
      UnsafeMutableRawPointer(wake), UnsafeMutableRawPointer(prepare), UnsafeMutableRawPointer(check),
    ] {
      uv_close(handle.assumingMemoryBound(to: uv_handle_t.self)) { handle in
        EventLoop.from(handle?.pointee.data).systemHandleClosed()
      }
    }
  }

  private func systemHandleClosed() {
    openSystemHandles -= 1
    if openSystemHandles == 0 { Unmanaged.passUnretained(self).release() }
  }
}

extension UInt64 {
  /// Returns the sum, or the maximum on overflow: programs express "forever" with numbers too large to add to.
  func saturatingAdd(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
