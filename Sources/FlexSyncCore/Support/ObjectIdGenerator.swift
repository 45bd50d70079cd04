// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncModel
import Synchronization

/// Makes object ids: seconds of the clock, five random bytes of the process and a counter that starts at random.
enum ObjectIdGenerator {
  private static let processBytes = RandomBytes.generate(count: 5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  private static let counter = Atomic<UInt32>(
    RandomBytes.generate(count: 3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  )

  /// A new id. Safe from any thread.
  static func next() -> ObjectId {
    let count = counter.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
    let seconds = UInt64(UInt32(truncatingIfNeeded: Clock.now().seconds))
    return ObjectId(
      high: seconds << 32 | processBytes >> 8,
      low: UInt32(processBytes & 0xFF) << 24 | count
    )
  }
}
