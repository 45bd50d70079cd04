// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncModel
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Generates object ids from the clock's seconds, five bytes for the process, and a counter with a random start.
enum ObjectIdGenerator {
  private static let randomBytes = RandomBytes.generate(count: 5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  private static let counter = Atomic<UInt32>(
    RandomBytes.generate(count: 3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  )

  /// Returns a new id. Safe from any thread.
  static func next() -> ObjectId {
    let count = counter.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
    let seconds = UInt64(UInt32(truncatingIfNeeded: Clock.now().seconds))
    let processBytes = processBytes
    return ObjectId(
      high: seconds << 32 | processBytes >> 8,
      low: UInt32(processBytes & 0xFF) << 24 | count
    )
  }

  /// The random bytes mixed with the process id: a forked child continues with its parent's counter and must not
  /// generate the same ids. An odd factor gives every process id different bytes.
  private static var processBytes: UInt64 {
    let mark = UInt64(UInt32(bitPattern: getpid())) &* 0x9E37_79B9_7F4A_7C15
    return (randomBytes ^ mark) & 0xFF_FFFF_FFFF
  }
}
