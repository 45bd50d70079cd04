// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Notices that this process was forked from one that uses the library: its threads are not here, its files are the
/// parent's, and its locks may be held by nobody.
enum ForkGuard {
  private static let flag = Atomic<Bool>(false)

  /// Whether nothing of the library can be used any more.
  @inline(__always)
  static var isChild: Bool { flag.load(ordering: .relaxed) }

  private static let isWatching = Atomic<Bool>(false)

  /// From now on a fork has something to lose.
  static func watch() {
    guard !isWatching.exchange(true, ordering: .relaxed) else { return }
    // The flag is made before a fork, since a child would wait for ever for a thread that was about to make it.
    pthread_atfork({ _ = ForkGuard.isChild }, nil) { ForkGuard.flag.store(true, ordering: .relaxed) }
  }

  /// - Throws: `CoreError` UNSUPPORTED in the child of a fork.
  @inline(__always)
  static func requireNoChild() throws {
    if isChild { throw refusal }
  }

  /// Tells a completion in the child of a fork, where no loop ever calls it, that it is one.
  ///
  /// - Returns: whether it is, so that there is nothing else to do.
  static func refuses(_ fail: (CoreError) -> Void) -> Bool {
    guard isChild else { return false }
    fail(refusal)
    return true
  }

  private static var refusal: CoreError {
    CoreError.unsupported(
      "This process was forked from one that uses FlexSync, whose threads and files it does not have. "
        + "Call exec first, or use FlexSync only in the child."
    )
  }
}
