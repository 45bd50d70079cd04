// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Gives a C caller a reference of its own to `object`.
@inline(__always)
func retainedHandle(_ object: AnyObject) -> OpaquePointer {
  OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// The handle of an object that the C side may use without owning it.
@inline(__always)
func borrowedHandle(_ object: AnyObject) -> OpaquePointer {
  OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
}

/// The object behind a handle that a C caller lends.
@inline(__always)
func borrow<Object: AnyObject>(_ handle: OpaquePointer, as type: Object.Type) -> Object {
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// Gives back the reference that a C caller owned; nothing happens for NULL.
@inline(__always)
func release<Object: AnyObject>(_ handle: OpaquePointer?, as type: Object.Type) {
  guard let handle else { return }
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
}

/// The `userdata` of a callback and the function that frees it, called when the last reference is gone.
///
/// `@unchecked Sendable`: the pointer is opaque to us, and the contract of the C interface says on which thread its
/// callback and its free function may run.
final class Userdata: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
  private let free: flx_free_userdata_t?

  init(_ pointer: UnsafeMutableRawPointer?, free: flx_free_userdata_t?) {
    self.pointer = pointer
    self.free = free
  }

  deinit { free?(pointer) }
}
