// SPDX-License-Identifier: Apache-2.0

/// A point in time: seconds and nanoseconds since 1970-01-01T00:00:00Z.
///
/// Both parts have the sign of the value, so −1.5 s is (−1, −500 000 000). A single 64-bit count of nanoseconds would
/// not reach beyond 2262, but apps do store such dates (`Date.distantFuture`).
public struct Timestamp: Hashable, Sendable {
  public let seconds: Int64
  /// The absolute value is less than 1 000 000 000.
  public let nanoseconds: Int32

  /// Creates a timestamp, or returns nil if the parts have different signs or the nanoseconds are out of range.
  public init?(seconds: Int64, nanoseconds: Int32) {
    guard nanoseconds.magnitude < 1_000_000_000 else { return nil }
    if seconds > 0 && nanoseconds < 0 || seconds < 0 && nanoseconds > 0 { return nil }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Creates a timestamp from whole milliseconds since 1970.
  public init(milliseconds: Int64) {
    seconds = milliseconds / 1000
    nanoseconds = Int32(milliseconds % 1000) * 1_000_000
  }

  /// 1970-01-01T00:00:00Z.
  public static let epoch = Timestamp(milliseconds: 0)
}

extension Timestamp: Comparable {
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.seconds != right.seconds ? left.seconds < right.seconds : left.nanoseconds < right.nanoseconds
  }
}

extension Timestamp: CustomStringConvertible {
  /// The form used by the query language, `T<seconds>:<nanoseconds>`.
  public var description: String { "T\(seconds):\(nanoseconds)" }
}
