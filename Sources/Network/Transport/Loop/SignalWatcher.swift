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

extension EventLoop {
  /// Calls `action` on the loop whenever the process receives `signal`, which has its default effect again once the
  /// watcher is cancelled. Call it on the loop's thread.
  ///
  /// Signals reach the process through any thread that does not block them. The thread started by
  /// ``EventLoop/start()`` blocks all signals, so some other thread (such as the main thread waiting in ``join()``)
  /// must not.
  /// - Throws: ``TransportError`` if the operating system refuses.
  public func onSignal(
    _ signal: ProcessSignal,
    _ action: @escaping () -> Void
  ) throws(TransportError) -> EventWatcher {
    assertInLoop()
    return try EventWatcher(
      loop: self,
      subject: "for signal \(signal.number)",
      create: uv_signal_init,
      start: {
        uv_signal_start($0, { watcher, _ in EventWatcher.happened(watcher?.pointee.data) }, signal.number)
      },
      action: action
    )
  }
}
