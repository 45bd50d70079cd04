// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension HandleSlot {
  private static let lock = Mutex(())

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
final class BorrowedHandle<Object: HandleTarget>: @unchecked Sendable {
  let handle: OpaquePointer
  private let lender: StaticString

  /// - Parameter lender: the function that lends the handle, for error messages.
  init(of object: Object, lender: StaticString) {
    handle = Handle.retained(object)
    self.lender = lender
  }

  deinit { Handle.release(handle, as: Object.self, function: lender) }
}
