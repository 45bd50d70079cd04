// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A signal that a service reacts to.
public enum ProcessSignal: Sendable {
  /// `SIGTERM`: end in good order.
  case terminate
  /// `SIGINT`: the same, from the keyboard.
  case interrupt
  /// `SIGHUP`: read the configuration again.
  case hangup

  var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    case .hangup: SIGHUP
    }
  }
}

extension ProcessSignal {
  /// Lets the calling thread receive the signal.
  ///
  /// A program that starts a service from a thread that blocks signals hands the block on to it, and nothing but
  /// `SIGKILL` would end the service.
  public func unblock() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}

/// Calls back on the loop when the process gets a signal, in place of the signal's default effect.
/// Confined to the loop's thread. The loop keeps it until it is cancelled.
public final class SignalWatcher: LoopResident {
  private let handle: NativeHandle
  private var action: (() -> Void)?

  fileprivate init(loop: EventLoop, signal: ProcessSignal, action: @escaping () -> Void)
    throws(TransportError)
  {
    handle = NativeHandle(loop: loop, layout: uv_signal_t.self)
    guard !loop.isStopping else { throw .loopStopped }
    var code = uv_signal_init(loop.raw, handle.pointer())
    if code == 0 {
      self.action = action
      handle.attach(to: self)
      code = uv_signal_start(
        handle.pointer(),
        { watcher, _ in NativeHandle.owner(watcher?.pointee.data, SignalWatcher.self)?.action?() },
        signal.number
      )
    }
    guard code == 0 else {
      cancel()
      throw TransportError(code: code, action: "watch for signal \(signal.number)")
    }
  }

  /// Restores the signal's default effect.
  public func cancel() {
    guard action != nil else { return }
    action = nil
    handle.close()
  }

  func loopStops() { cancel() }

  func handleClosed() {}
}

extension EventLoop {
  /// Calls `action` on the loop whenever the process gets `signal`. On the loop's thread.
  ///
  /// Signals reach the process through any thread that does not block them; the thread of ``EventLoop/start()``
  /// blocks all of them, so some other thread (the main thread waiting in ``join()``) must not.
  /// - Throws: ``TransportError`` if the operating system refuses.
  public func onSignal(
    _ signal: ProcessSignal,
    _ action: @escaping () -> Void
  ) throws(TransportError) -> SignalWatcher {
    assertInLoop()
    return try SignalWatcher(loop: self, signal: signal, action: action)
  }
}
