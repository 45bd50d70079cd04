// SPDX-License-Identifier: Apache-2.0

/// How Swift objects cross the C interface: as opaque pointers that own a reference.
enum Handle {
  /// A new reference to `object` that C owns until `release`.
  static func retained(_ object: AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(object).toOpaque())
  }

  /// A pointer to `object` that C only borrows.
  static func borrowed(_ object: AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
  }

  /// The object behind a pointer that `retained` or `borrowed` made for this very class.
  static func object<Object: AnyObject>(_ handle: OpaquePointer, as _: Object.Type = Object.self) -> Object {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  /// Calls `body` with the object behind a pointer, which the caller's reference keeps alive: for calls so short that
  /// counting another reference would be felt. `body` calls nothing of the program's.
  @inline(__always)
  static func with<Object: AnyObject, Result>(
    _ handle: OpaquePointer,
    as _: Object.Type,
    _ body: (Object) throws -> Result
  ) rethrows -> Result {
    try Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle))._withUnsafeGuaranteedRef { try body($0) }
  }

  /// Gives C's reference back.
  static func release<Object: AnyObject>(_ handle: OpaquePointer?, as _: Object.Type) {
    guard let handle else { return }
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
  }
}
