// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where an interface to other languages keeps its only handle of an object, so that the same object always has the
/// same one.
final class HandleSlot: @unchecked Sendable {
  /// Guarded by a lock of the interface; 0 while there is no handle.
  var bits: UInt = 0
}

/// What an interface to other languages lends of an object, for as long as the object lives. Any thread.
final class Loan: Sendable {
  private let content = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Returns what is lent; makes it the first time.
  func content<Content: AnyObject & Sendable>(_ make: () -> Content) -> Content {
    content.withLock { content in
      if let known = content as? Content { return known }
      let new = make()
      content = new
      return new
    }
  }
}
