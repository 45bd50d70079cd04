// SPDX-License-Identifier: Apache-2.0

import CLibuv

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A job for libuv's thread pool. It has no generic type, because C callbacks do not support generics.
private final class BlockingWork {
  let perform: () -> Void
  let complete: () -> Void

  init<Result>(_ work: @escaping () -> Result, _ completion: @escaping (Result) -> Void) {
    var result: Result?
    perform = { result = work() }
    complete = { if let result { completion(result) } }
  }
}

extension EventLoop {
  /// Sets the number of threads for blocking work in this process, unless the environment already defines it. Must be
  /// called before there is any such work.
  public static func useThreads(_ count: Int) {
    setenv("UV_THREADPOOL_SIZE", "\(count)", 0)
  }

  /// Runs `work`, which may take long (a password hash, a file), on a thread pool, and then `completion` on the loop.
  /// Call it on the loop's thread.
  ///
  /// The loop does not end before running work has finished. On a loop that is already stopping, nothing is run.
  public func performBlocking<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result,
    completion: @escaping (Result) -> Void
  ) {
    assertInLoop()
    guard !isStopping else { return }
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
    request.pointee.data = Unmanaged.passRetained(BlockingWork(work, completion)).toOpaque()
    let code = uv_queue_work(
      raw,
      request,
      { request in
        guard let data = request?.pointee.data else { return }
        Unmanaged<BlockingWork>.fromOpaque(data).takeUnretainedValue().perform()
      },
      { request, _ in
        guard let request, let data = request.pointee.data else { return }
        request.deallocate()
        Unmanaged<BlockingWork>.fromOpaque(data).takeRetainedValue().complete()
      }
    )
    precondition(code == 0, "libuv refuses work only without a callback")
  }
}
