// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The maximum number of file descriptors of the process.
public enum DescriptorLimit {
  /// A higher limit is of no use, and some systems reject it.
  private static let highest: rlim_t = 1 << 20

  /// Raises the limit to the maximum that the system permits without additional privileges.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, highest))
    setrlimit(resource, &limit)
  }

  /// The current limit.
  public static var current: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  #if canImport(Glibc)
  private static var resource: Int32 { Int32(RLIMIT_NOFILE.rawValue) }
  #else
  private static var resource: Int32 { RLIMIT_NOFILE }
  #endif
}
