// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncTransport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends the loop threads before the process does.
///
/// A program may return from `main` while a loop still runs. libuv and OpenSSL tear their globals down at exit and
/// crash a loop that is using them then, so the loops have to be gone by that time.
enum ExitGuard {
  /// Loops on threads of their own that have been started.
  private static let loops = Mutex<[EventLoop]>([])

  /// The longest that an exit waits, in ms, if a callback of the program does not return.
  private static let patience = 2000

  private static let registration: Void = {
    // Handlers run in reverse order and before the destructors of libraries: this one has to come before OpenSSL's
    // handler and libuv's destructor.
    CryptoLibrary.prepare()
    _ = atexit { ExitGuard.endLoops() }
  }()

  /// Watches over a loop that has just been started.
  static func watch(_ loop: EventLoop) {
    registration
    loops.withLock { loops in
      loops.removeAll { $0.isFinished }
      loops.append(loop)
    }
  }

  private static func endLoops() {
    // The loops are the parent's.
    guard !ForkGuard.isChild else { return }
    let running = loops.withLock { $0 }
    for loop in running { loop.stop() }
    // A callback of the program may itself have called exit; its own loop cannot end then.
    for loop in running where !loop.isInLoop { waitForEnd(of: loop) }
  }

  private static func waitForEnd(of loop: EventLoop) {
    for _ in 0..<patience where !loop.isFinished { usleep(1000) }
  }
}
