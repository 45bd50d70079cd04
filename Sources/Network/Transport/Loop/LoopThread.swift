// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread that an event loop may own. Safe from any thread.
final class LoopThread: Sendable {
  private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// The stack size of a main thread. Other threads may have only half a megabyte, too little for deeply nested
  /// texts.
  private static let stackByteCount = 8 << 20

  /// A `pthread_t` as bits, because it is a pointer on one platform and a number on the other.
  private let running = Mutex<UInt?>(nil)

  /// The identity of the calling thread.
  static var current: UInt { bits(pthread_self()) }

  /// - Returns: The identity of the new thread.
  func start(_ body: @escaping @Sendable () -> Void) throws(TransportError) -> UInt {
    let job = Unmanaged.passRetained(Job(body)).toOpaque()
    // A library's thread leaves signals to the program's own threads. The new thread inherits the mask.
    let previous = Self.blockSignals()
    var identifier = UInt()
    let code = Self.spawn(job, &identifier)
    Self.restoreSignals(previous)
    guard code == 0 else {
      Unmanaged<Job>.fromOpaque(job).release()
      throw TransportError(.system, "cannot create a thread: \(String(cString: strerror(code)))")
    }
    let created = identifier
    running.withLock { running in
      precondition(running == nil, "EventLoop: started twice")
      running = created
    }
    return created
  }

  func join() {
    guard let identifier = running.withLock({ $0 }) else { return }
    precondition(identifier != Self.current, "EventLoop: a loop cannot wait for itself")
    pthread_join(Self.identifier(identifier), nil)
    running.withLock { $0 = nil }
  }

  #if canImport(Darwin)
  private static func bits(_ identifier: pthread_t) -> UInt { UInt(bitPattern: identifier) }
  private static func identifier(_ bits: UInt) -> pthread_t { pthread_t(bitPattern: bits).unsafelyUnwrapped }

  private static func spawn(_ job: UnsafeMutableRawPointer, _ identifier: inout UInt) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackByteCount)
    var created: pthread_t?
    let code = pthread_create(&created, &attributes, { LoopThread.perform($0) }, job)
    identifier = UInt(bitPattern: created)
    return code
  }

  private static func perform(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let job = Unmanaged<Job>.fromOpaque(argument).takeRetainedValue()
    job.body()
    return nil
  }
  #else
  private static func bits(_ identifier: pthread_t) -> UInt { UInt(identifier) }
  private static func identifier(_ bits: UInt) -> pthread_t { pthread_t(bits) }

  private static func spawn(_ job: UnsafeMutableRawPointer, _ identifier: inout UInt) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackByteCount)
    var created = pthread_t()
    let code = pthread_create(&created, &attributes, { LoopThread.perform($0) }, job)
    identifier = UInt(created)
    return code
  }

  private static func perform(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let job = Unmanaged<Job>.fromOpaque(argument.unsafelyUnwrapped).takeRetainedValue()
    job.body()
    return nil
  }
  #endif

  /// Blocks all signals except faults, which crash reporters must see. Returns the previous mask.
  private static func blockSignals() -> sigset_t {
    var all = sigset_t()
    sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP] { sigdelset(&all, fault) }
    var previous = sigset_t()
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    return previous
  }

  private static func restoreSignals(_ previous: sigset_t) {
    var previous = previous
    pthread_sigmask(SIG_SETMASK, &previous, nil)
  }
}

/// Handles `SIGPIPE`, which the system raises in a thread that writes to a connection closed by its peer, and which
/// would end the process. libuv writes without `MSG_NOSIGNAL`.
enum PipeSignal {
  /// Runs `body` with the signal blocked in this thread, and discards any signals that it raised.
  static func withBlocked(_ body: () -> Void) {
    #if canImport(Darwin)
    body()  // libuv sets SO_NOSIGPIPE on its sockets.
    #else
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var previous = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &previous)
    body()
    guard sigismember(&previous, SIGPIPE) == 0 else { return }
    var immediately = timespec()
    while sigtimedwait(&pipe, nil, &immediately) == SIGPIPE {}
    pthread_sigmask(SIG_SETMASK, &previous, nil)
    #endif
  }
}
