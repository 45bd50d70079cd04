// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The environment of each thread. A simulation may run in the same process as code that uses the real disk.
enum ThreadEnvironment {
  private final class Box {
    let environment: any FileSystemEnvironment

    init(_ environment: any FileSystemEnvironment) { self.environment = environment }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { box in
      let box: UnsafeMutableRawPointer? = box
      if let box { Unmanaged<Box>.fromOpaque(box).release() }
    }
    precondition(status == 0, "the system has no room for a value of threads")
    return key
  }()

  /// The environment of the calling thread; nil for the system's.
  static var current: (any FileSystemEnvironment)? {
    get { pthread_getspecific(key).map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().environment } }
    set {
      let old = pthread_getspecific(key)
      pthread_setspecific(key, newValue.map { Unmanaged.passRetained(Box($0)).toOpaque() })
      if let old { Unmanaged<Box>.fromOpaque(old).release() }
    }
  }
}
