// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The clock of the device.
enum Clock {
  /// Returns the time of day.
  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec)) ?? .epoch
  }

  /// Returns the time of day in the form used by changesets: milliseconds since 2015 (protocol §5.7).
  static func syncTimestamp() -> UInt64 {
    let now = now()
    let milliseconds = UInt64(max(0, now.seconds)) * 1000 + UInt64(max(0, now.nanoseconds) / 1_000_000)
    return milliseconds - min(milliseconds, OriginStamp.epochOffsetMilliseconds)
  }

  /// Returns the nanoseconds since some moment in the past; never goes backwards.
  static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
