// SPDX-License-Identifier: Apache-2.0

import CLibuv
import COpenSSL
import FlexSyncScheduling
import Synchronization

extension EventLoop {
  /// Runs the loop on a new thread until ``stop()``.
  /// - Throws: ``TransportError`` if the system cannot create a thread.
  public func start() throws(TransportError) {
    assertInLoop()
    let identity = try thread.start { [self] in run() }
    currentThread.store(identity, ordering: .relaxed)
  }

  /// Runs the loop on the calling thread and returns after ``stop()``.
  public func run() {
    precondition(ownsRaw, "EventLoop: the host runs its own loop")
    takeThread()
    PipeSignal.withBlocked { _ = uv_run(raw, UV_RUN_DEFAULT) }
    destroyIfDone()
  }

  /// For hosts that poll: runs what is due and returns without waiting.
  ///
  /// Call it whenever ``pollDescriptor`` is readable or ``pollTimeoutMilliseconds`` have passed, and after using
  /// anything on this loop, always on the same thread.
  /// - Returns: Whether the loop continues; false once ``stop()`` has taken full effect.
  public func runPending() -> Bool {
    precondition(ownsRaw, "EventLoop: the host runs its own loop")
    guard !isClosed else { return false }
    takeThread()
    PipeSignal.withBlocked { _ = uv_run(raw, UV_RUN_NOWAIT) }
    return !destroyIfDone()
  }

  /// For hosts that poll: a descriptor that is readable when ``runPending()`` has something to do.
  public var pollDescriptor: Int32 { uv_backend_fd(raw) }

  /// For hosts that poll: the maximum time in milliseconds to wait for ``pollDescriptor``; -1 for no limit.
  public var pollTimeoutMilliseconds: Int32 {
    assertInLoop()
    guard !isClosed else { return -1 }
    uv_update_time(raw)
    return turnActions.isEmpty && unflushed.isEmpty ? uv_backend_timeout(raw) : 0
  }

  /// Makes the loop close everything on it and end. Safe from any thread, and more than once.
  public func stop() {
    shared.withLock { shared in
      guard !shared.isFinished, !shared.stopRequested else { return }
      shared.stopRequested = true
      uv_async_send(wake)
    }
  }

  /// Whether a stopped loop has closed everything and no longer uses libuv and OpenSSL. Safe from any thread.
  public var isFinished: Bool { hasEnded.load(ordering: .acquiring) }

  /// Waits until the thread started by ``start()`` has ended. Call it once, from any other thread.
  public func join() {
    thread.join()
    currentThread.store(LoopThread.current, ordering: .relaxed)
  }

  private func takeThread() {
    currentThread.store(LoopThread.current, ordering: .relaxed)
  }

  @discardableResult
  private func destroyIfDone() -> Bool {
    guard openSystemHandles == 0, uv_loop_alive(raw) == 0, !isClosed else { return isClosed }
    isClosed = true
    Self.destroy(raw)
    // Otherwise the thread would free this state when it ends, perhaps while OpenSSL cleans up at process exit.
    OPENSSL_thread_stop()
    hasEnded.store(true, ordering: .releasing)
    return true
  }
}
