// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How many file descriptors the process may have.
public enum DescriptorLimit {
  /// More are of no use, and some systems refuse them.
  private static let highest: rlim_t = 1 << 20

  /// Raises the limit to what the system allows without further rights.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, highest))
    setrlimit(resource, &limit)
  }

  /// The limit in force.
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
