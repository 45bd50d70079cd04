// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Detects that this process was forked from one that uses the library: its threads do not exist here, its files
/// belong to the parent, and its locks may be held by threads that no longer exist.
///
/// If the system supports it, the kernel wipes a mark in the child, so that no code of the library runs in a child
/// that only calls `exec`: Swift's runtime has locks too.
enum ForkGuard {
  private static let isWatching = Atomic<Bool>(false)
  /// Zero in a forked child. Written once, before `isWatching` is set; a constant would be checked for its
  /// initialization at every call.
  nonisolated(unsafe) private static var mark: UnsafeMutablePointer<UInt8>?

  /// Whether the library is unusable because this process is a forked child.
  @inline(__always)
  static var isChild: Bool { isWatching.load(ordering: .acquiring) && mark?.pointee == 0 }

  /// Starts watching, because from now on a fork would break something. Called once, with the first handle.
  static func watch() {
    guard !isWatching.load(ordering: .relaxed) else { return }
    let mark = wipedBySystem() ?? wipedByHandler()
    mark.pointee = 1
    self.mark = mark
    isWatching.store(true, ordering: .releasing)
  }

  /// Returns a page of memory that is zero in a child; nil if the system does not support that.
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
    pthread_atfork(nil, nil) { ForkGuard.mark?.pointee = 0 }
    return UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
  }

  /// - Throws: `CoreError` UNSUPPORTED in the child of a fork.
  @inline(__always)
  static func requireNoChild() throws {
    if isChild { throw refusal }
  }

  /// Fails a completion if this is a forked child, where no loop would ever call it.
  ///
  /// - Returns: whether it is a forked child, in which case there is nothing else to do.
  static func refuses(_ fail: (CoreError) -> Void) -> Bool {
    guard isChild else { return false }
    fail(refusal)
    return true
  }

  private static var refusal: CoreError {
    CoreError.unsupported(
      "This process was forked from one that uses FlexSync and did not inherit its threads and files. "
        + "Call exec first, or use FlexSync only in the child."
    )
  }
}
