// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Numbers the `@Persisted` properties of an object while it is being built for a row or for discovery.
///
/// Stored properties are initialised in declared order, those of a superclass first, so the numbers are the same for
/// every instance of a class. Swift offers no other way to learn which property an access is about.
@usableFromInline
struct Construction: Sendable {
  /// The number of the next property; negative while objects are built by the program itself.
  var nextOrdinal: Int32

  static let outside = Construction(nextOrdinal: -1)

  /// The number for a property that is being initialised now, or −1.
  @usableFromInline
  static func takeOrdinal() -> Int32 {
    let current = threadState()
    guard current.pointee.nextOrdinal >= 0 else { return -1 }
    defer { current.pointee.nextOrdinal += 1 }
    return current.pointee.nextOrdinal
  }

  /// Builds an object whose properties are numbered.
  static func build<ObjectType: Object>(_ type: ObjectType.Type) -> ObjectType {
    let current = threadState()
    let outer = current.pointee
    current.pointee = Construction(nextOrdinal: 0)
    defer { current.pointee = outer }
    return type.init()
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { $0.deallocateState() }
    return key
  }()

  private static func threadState() -> UnsafeMutablePointer<Construction> {
    if let state = pthread_getspecific(key) { return state.assumingMemoryBound(to: Construction.self) }
    let state = UnsafeMutablePointer<Construction>.allocate(capacity: 1)
    state.initialize(to: .outside)
    pthread_setspecific(key, state)
    return state
  }
}

// The argument of a destructor is optional on some platforms and not on others.
extension UnsafeMutableRawPointer {
  fileprivate func deallocateState() { deallocate() }
}

extension Optional where Wrapped == UnsafeMutableRawPointer {
  fileprivate func deallocateState() { self?.deallocate() }
}
