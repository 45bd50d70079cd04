// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A signal that a service handles.
public enum ProcessSignal: Sendable {
  /// `SIGTERM`: shut down cleanly.
  case terminate
  /// `SIGINT`: shut down cleanly, requested from the keyboard.
  case interrupt
  /// `SIGHUP`: reload the configuration.
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
  /// Unblocks the signal in the calling thread.
  ///
  /// A program that starts a service from a thread that blocks signals passes the mask on to it. Nothing but
  /// `SIGKILL` would then end the service.
  public func unblock() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}

/// Calls back on the loop when the process receives a signal, instead of the signal's default effect. Confined to the
/// loop's thread. The loop retains the watcher until it is cancelled.
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
  /// Calls `action` on the loop whenever the process receives `signal`. Call it on the loop's thread.
  ///
  /// Signals reach the process through any thread that does not block them. The thread started by
  /// ``EventLoop/start()`` blocks all signals, so some other thread (such as the main thread waiting in ``join()``)
  /// must not.
  /// - Throws: ``TransportError`` if the operating system refuses.
  public func onSignal(
    _ signal: ProcessSignal,
    _ action: @escaping () -> Void
  ) throws(TransportError) -> SignalWatcher {
    assertInLoop()
    return try SignalWatcher(loop: self, signal: signal, action: action)
  }
}
