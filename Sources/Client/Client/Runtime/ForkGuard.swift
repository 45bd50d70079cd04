// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Notices that this process was forked from one that uses the library: its threads are not here, its files are the
/// parent's, and its locks may be held by nobody.
///
/// Where the system can, it wipes a mark in the child, so that no code of the library runs in one that only calls `exec`:
/// Swift's runtime has locks, too.
enum ForkGuard {
  private static let isWatching = Atomic<Bool>(false)
  /// Zero in a child.
  nonisolated(unsafe) private static let mark = wipedBySystem() ?? wipedByHandler()

  /// Whether nothing of the library can be used any more.
  @inline(__always)
  static var isChild: Bool { isWatching.load(ordering: .acquiring) && mark.pointee == 0 }

  /// From now on a fork has something to lose.
  static func watch() {
    guard !isWatching.load(ordering: .relaxed) else { return }
    mark.pointee = 1
    isWatching.store(true, ordering: .releasing)
  }

  /// A page of memory that is zero in a child; nil if the system has none.
  private static func wipedBySystem() -> UnsafeMutablePointer<UInt8>? {
    #if os(Linux)
    // MADV_WIPEONFORK, since Linux 4.14.
    let wipeOnFork: Int32 = 18
    let size = sysconf(Int32(_SC_PAGESIZE))
    guard size > 0,
      let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      page != MAP_FAILED
    else { return nil }
    guard madvise(page, size, wipeOnFork) == 0 else {
      munmap(page, size)
      return nil
    }
    return page.assumingMemoryBound(to: UInt8.self)
    #else
    return nil
    #endif
  }

  private static func wipedByHandler() -> UnsafeMutablePointer<UInt8> {
    pthread_atfork(nil, nil) { ForkGuard.mark.pointee = 0 }
    return UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
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
