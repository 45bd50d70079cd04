// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Synchronization

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Collects what callbacks on other threads tell.
final class CallbackBox<Event: Sendable>: Sendable {
  private let state: Mutex<[Event]>

  init(_ events: [Event] = []) { state = Mutex(events) }

  var events: [Event] { state.withLock { $0 } }

  func add(_ event: Event) { state.withLock { $0.append(event) } }

  /// A reference for C's userdata; `free` gives it back.
  var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  static func of(_ userdata: UnsafeMutableRawPointer?) -> CallbackBox {
    Unmanaged.fromOpaque(userdata.unsafelyUnwrapped).takeUnretainedValue()
  }

  static func free(_ userdata: UnsafeMutableRawPointer?) {
    if let userdata { Unmanaged<CallbackBox>.fromOpaque(userdata).release() }
  }

  /// Waits until what was told fulfils a condition.
  func wait(_ what: String, seconds: Double = Patience.seconds, until condition: ([Event]) -> Bool) throws {
    let deadline = Clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
    while !condition(events) {
      guard Clock.monotonicNanoseconds() < deadline else {
        throw Failure(status: .FLX_STATUS_TIMED_OUT, message: "\(what): \(events)")
      }
      pause(milliseconds: 1)
    }
  }
}

/// Lets other threads work.
func pause(milliseconds: Int) {
  var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
  nanosleep(&time, nil)
}
