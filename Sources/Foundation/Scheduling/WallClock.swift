// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The time of day, replaceable in tests.
public struct WallClock: Sendable {
  /// Milliseconds since 1970.
  public var milliseconds: @Sendable () -> Int64

  /// - Parameter milliseconds: Returns the milliseconds since 1970. Called on any thread.
  public init(milliseconds: @escaping @Sendable () -> Int64) {
    self.milliseconds = milliseconds
  }

  /// The system's clock.
  public static let system = WallClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Seconds since 1970.
  public var seconds: Int64 { milliseconds() / 1000 }
}
