// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc

// The C library declares it for GNU C only.
@_silgen_name("pthread_getattr_np")
private func attributesOfThread(
  _ thread: pthread_t,
  _ attributes: UnsafeMutablePointer<pthread_attr_t>
) -> Int32
#elseif canImport(Darwin)
import Darwin
#endif

/// Stack space for work that follows a query tree recursively. If the current thread has too little left, the work
/// runs on another thread while the caller waits.
enum RoomyStack {
  /// The stack that the deepest query accepted by the parser needs, in bytes, with a margin.
  private static let need: UInt = 480 * 1024
  private static let stackSize = 4 * 1024 * 1024

  /// Runs `body`, which must not call into the program and must not depend on the current thread.
  static func run<Value>(_ body: () throws -> Value) throws -> Value {
    if room >= need { return try body() }
    return try withoutActuallyEscaping(body) { body in
      let job = Job { Result { try body() } }
      guard job.runElsewhere() else {
        throw CoreError(
          .io,
          "This thread's stack is too small for a query, and no other thread can be started."
        )
      }
      return try job.takeResult().get()
    }
  }

  private final class Job<Value> {
    private var body: (() -> Result<Value, any Error>)?
    private var result: Result<Value, any Error>?

    init(_ body: @escaping () -> Result<Value, any Error>) { self.body = body }

    func perform() {
      result = body?()
      body = nil
    }

    func takeResult() -> Result<Value, any Error> {
      guard let result else { preconditionFailure("a joined thread did not finish its work") }
      self.result = nil
      return result
    }

    /// Runs the job on another thread; returns false if none can be created.
    func runElsewhere() -> Bool {
      let work: () -> Void = { self.perform() }
      return withUnsafePointer(to: work) { RoomyStack.runThread(UnsafeMutableRawPointer(mutating: $0)) }
    }
  }

  /// Calls a closure, given its address, on a new thread.
  private static func runThread(_ work: UnsafeMutableRawPointer) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    #if canImport(Darwin)
    var thread: pthread_t?
    let code = pthread_create(&thread, &attributes, { RoomyStack.call($0) }, work)
    guard code == 0, let thread else { return false }
    #else
    var thread = pthread_t()
    guard pthread_create(&thread, &attributes, { RoomyStack.call($0) }, work) == 0 else { return false }
    #endif
    return pthread_join(thread, nil) == 0
  }

  private static func call(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    work?.assumingMemoryBound(to: (() -> Void).self).pointee()
    return nil
  }

  // MARK: The stack of this thread

  /// The number of bytes left.
  private static var room: UInt {
    var here = 0
    let address = withUnsafePointer(to: &here) { UInt(bitPattern: $0) }
    let end = end
    return address > end ? address - end : 0
  }

  /// The lowest address, cached per thread because determining it is slow on the main thread.
  private static var end: UInt {
    if let known = pthread_getspecific(key) { return UInt(bitPattern: known) }
    let found = findEnd()
    pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: found))
    return found
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private static func findEnd() -> UInt {
    #if canImport(Darwin)
    let top = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
    return top - UInt(pthread_get_stacksize_np(pthread_self()))
    #else
    var attributes = pthread_attr_t()
    guard attributesOfThread(pthread_self(), &attributes) == 0 else { return 1 }
    defer { pthread_attr_destroy(&attributes) }
    var address: UnsafeMutableRawPointer?
    var size = 0
    pthread_attr_getstack(&attributes, &address, &size)
    return max(UInt(bitPattern: address), 1)
    #endif
  }
}
