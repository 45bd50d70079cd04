// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a closure on a thread with half a megabyte of stack, what secondary threads of apps have.
enum SmallStack {
  private final class Box {
    let body: () -> Void

    init(_ body: @escaping () -> Void) {
      self.body = body
    }
  }

  static func run(_ body: @escaping () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 * 1024)
    defer { pthread_attr_destroy(&attributes) }
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let argument = Unmanaged.passRetained(Box(body)).toOpaque()
    let status = pthread_create(
      &thread,
      &attributes,
      { argument in
        #if canImport(Darwin)
        let argument: UnsafeMutableRawPointer? = argument
        #endif
        if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      },
      argument
    )
    precondition(status == 0, "no thread")
    #if canImport(Darwin)
    if let thread { pthread_join(thread, nil) }
    #else
    pthread_join(thread, nil)
    #endif
  }
}
