// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncTransport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends the loop threads before the process ends.
///
/// A program may return from `main` while a loop is still running. libuv and OpenSSL tear down their globals at
/// exit, which would crash a loop that is using them, so the loops must have ended by then.
enum ExitGuard {
  /// The started loops that run on their own threads.
  private static let loops = Mutex<[EventLoop]>([])

  /// The longest that an exit waits, in ms, for a callback of the program to return.
  private static let patience = 2000

  private static let registration: Void = {
    // Handlers run in reverse order and before the destructors of libraries. Registering after OpenSSL makes this
    // one run before OpenSSL's handler and libuv's destructor.
    CryptoLibrary.prepare()
    _ = atexit { ExitGuard.endLoops() }
  }()

  /// Adds a loop that has just been started.
  static func watch(_ loop: EventLoop) {
    registration
    loops.withLock { loops in
      loops.removeAll { $0.isFinished }
      loops.append(loop)
    }
  }

  private static func endLoops() {
    // The loops belong to the parent.
    guard !ForkGuard.isChild else { return }
    let running = loops.withLock { $0 }
    for loop in running { loop.stop() }
    // If a callback of the program itself called exit, its own loop cannot end.
    for loop in running where !loop.isInLoop { waitForEnd(of: loop) }
  }

  private static func waitForEnd(of loop: EventLoop) {
    for _ in 0..<patience where !loop.isFinished { usleep(1000) }
  }
}
