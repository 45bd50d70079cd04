// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Stores the only handle that the C interface gives out for an object, so that the same object always has the same
/// handle.
final class HandleSlot: @unchecked Sendable {
  /// Guarded by a lock of the C interface; 0 while there is no handle.
  var bits: UInt = 0
}

/// Keeps an object that the C interface has lent to the program alive as long as its owner. Any thread.
final class Loan: Sendable {
  private let content = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Returns the lent object, and creates it the first time.
  func content<Content: AnyObject & Sendable>(_ make: () -> Content) -> Content {
    content.withLock { content in
      if let known = content as? Content { return known }
      let new = make()
      content = new
      return new
    }
  }
}
