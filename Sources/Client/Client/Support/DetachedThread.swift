// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread for work without an event loop, which is work on local realms.
enum DetachedThread {
  private final class Job: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  static func run(_ work: @escaping @Sendable () -> Void) {
    // If no more threads can be created, run the work on the caller's.
    if !start(work) { work() }
  }

  /// Returns false, without running the work, if no more threads can be created.
  static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let job = Unmanaged.passRetained(Job(work)).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    let code = pthread_create(&thread, nil, { DetachedThread.perform($0) }, job)
    if code == 0, let thread { pthread_detach(thread) }
    #else
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { DetachedThread.perform($0) }, job)
    if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 { Unmanaged<Job>.fromOpaque(job).release() }
    return code == 0
  }

  private static func perform(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().work() }
    return nil
  }
}
