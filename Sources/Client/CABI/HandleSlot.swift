// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds the only handle that C has of an object, so the same object always has the same handle.
final class HandleSlot: @unchecked Sendable {
  private static let lock = Mutex(())
  /// Guarded by `lock`; 0 while C has no handle.
  private var bits: UInt = 0

  /// Returns the handle with one more reference.
  func retained<Object: HandleTarget>(_ object: Object) -> OpaquePointer {
    let handle = Self.lock.withLock { _ in
      if let cell = Handle.cell(of: bits) {
        cell.pointee.retain()
      } else {
        bits = UInt(bitPattern: Handle.made(object))
      }
      return bits
    }
    return OpaquePointer(bitPattern: handle).unsafelyUnwrapped
  }

  /// Drops one reference to the handle.
  func release(_ cell: UnsafeMutablePointer<HandleCell>, _ tag: UInt32) -> HandleCell.Release {
    Self.lock.withLock { _ in
      let outcome = cell.pointee.release(tag)
      if outcome == .ended { bits = 0 }
      return outcome
    }
  }
}

/// A handle that C borrows from another object for as long as that object lives.
final class BorrowedHandle<Object: HandleTarget>: Sendable {
  private let bits = Mutex<UInt>(0)
  private let lender: StaticString

  /// - Parameter lender: the function that lends the handle, for error messages.
  init(lender: StaticString) { self.lender = lender }

  deinit {
    let handle = OpaquePointer(bitPattern: bits.withLock { $0 })
    Handle.release(handle, as: Object.self, function: lender)
  }

  /// The handle.
  func handle(of object: Object) -> OpaquePointer {
    let bits = bits.withLock { bits in
      if bits == 0 { bits = UInt(bitPattern: Handle.retained(object)) }
      return bits
    }
    return OpaquePointer(bitPattern: bits).unsafelyUnwrapped
  }
}
