// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension timespec {
  /// Returns a time of day some milliseconds ahead, for `pthread_cond_timedwait`.
  static func now(plus milliseconds: UInt64) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    // A century is as good as forever, and does not overflow.
    let milliseconds = Int(min(milliseconds, 3_155_760_000_000))
    time.tv_sec += milliseconds / 1000
    time.tv_nsec += milliseconds % 1000 * 1_000_000
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_sec += 1
      time.tv_nsec -= 1_000_000_000
    }
    return time
  }
}
