// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncModel
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes object ids: seconds of the clock, five bytes of the process and a counter that starts at random.
enum ObjectIdGenerator {
  private static let randomBytes = RandomBytes.generate(count: 5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  private static let counter = Atomic<UInt32>(
    RandomBytes.generate(count: 3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  )

  /// A new id. Safe from any thread.
  static func next() -> ObjectId {
    let count = counter.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
    let seconds = UInt64(UInt32(truncatingIfNeeded: Clock.now().seconds))
    let processBytes = processBytes
    return ObjectId(
      high: seconds << 32 | processBytes >> 8,
      low: UInt32(processBytes & 0xFF) << 24 | count
    )
  }

  /// The number of the process is mixed in: the child of a fork counts on from where its parent is, and must not make the
  /// same ids. An odd factor gives each number other bytes.
  private static var processBytes: UInt64 {
    let mark = UInt64(UInt32(bitPattern: getpid())) &* 0x9E37_79B9_7F4A_7C15
    return (randomBytes ^ mark) & 0xFF_FFFF_FFFF
  }
}
