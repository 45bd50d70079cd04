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
  private static let processBytes = Atomic<UInt64>(
    RandomBytes.generate(count: 5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  )
  private static let counter = Atomic<UInt32>(
    RandomBytes.generate(count: 3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  )
  private static let isWatching = Atomic<Bool>(false)

  /// A child counts on from where its parent is, so its bytes have to be others. What it begins with is made before the
  /// fork: a child would wait for ever for a thread of its parent that was about to make it.
  private static func watchForks() {
    guard !isWatching.exchange(true, ordering: .relaxed) else { return }
    pthread_atfork({ ObjectIdGenerator.makeBeginning() }, nil) { ObjectIdGenerator.becomeChild() }
  }

  private static func makeBeginning() {
    _ = processBytes.load(ordering: .relaxed)
    _ = counter.load(ordering: .relaxed)
  }

  /// A new id. Safe from any thread.
  static func next() -> ObjectId {
    watchForks()
    let count = counter.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
    let seconds = UInt64(UInt32(truncatingIfNeeded: Clock.now().seconds))
    let processBytes = processBytes.load(ordering: .relaxed)
    return ObjectId(
      high: seconds << 32 | processBytes >> 8,
      low: UInt32(processBytes & 0xFF) << 24 | count
    )
  }

  /// Mixes the number of the process into its bytes; random bytes cannot be had without locks, which nobody may release
  /// here. An odd factor gives each number other bytes.
  private static func becomeChild() {
    let mark = UInt64(UInt32(bitPattern: getpid())) &* 0x9E37_79B9_7F4A_7C15
    let bytes = processBytes.load(ordering: .relaxed) ^ mark
    processBytes.store(bytes & 0xFF_FFFF_FFFF, ordering: .relaxed)
  }
}
