// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The cells of all handles in the process. Any thread; lock-free while there are free cells.
enum HandlePool {
  private static let chunkSize: UInt32 = 1024
  private static let chunkLimit = 1 << 16

  /// The number of the first free cell in the lower half, and a change counter in the upper half, so no change goes
  /// unnoticed (ABA).
  private static let free = Atomic<UInt64>(0)
  private static let chunkCount = Mutex(0)
  private nonisolated(unsafe) static let chunks =
    UnsafeMutablePointer<UnsafeMutablePointer<HandleCell>?>.allocate(capacity: chunkLimit)

  /// Takes a cell for exclusive use.
  static func take() -> UnsafeMutablePointer<HandleCell> {
    var head = free.load(ordering: .acquiring)
    while true {
      let number = UInt32(truncatingIfNeeded: head)
      guard number != 0 else { return grow() }
      let first = cell(number)
      let rest = changed(head, first: first.pointee.next.load(ordering: .relaxed))
      let exchange = free.weakCompareExchange(
        expected: head,
        desired: rest,
        successOrdering: .acquiringAndReleasing,
        failureOrdering: .acquiring
      )
      if exchange.exchanged { return first }
      head = exchange.original
    }
  }

  /// Returns a cell to the pool.
  static func give(_ cell: UnsafeMutablePointer<HandleCell>) {
    guard !cell.pointee.isUsedUp else { return }
    var head = free.load(ordering: .relaxed)
    while true {
      cell.pointee.next.store(UInt32(truncatingIfNeeded: head), ordering: .relaxed)
      let exchange = free.weakCompareExchange(
        expected: head,
        desired: changed(head, first: cell.pointee.number),
        successOrdering: .releasing,
        failureOrdering: .relaxed
      )
      if exchange.exchanged { return }
      head = exchange.original
    }
  }

  /// The number of cells in use, as a snapshot: other threads may take and give cells meanwhile.
  static var usedCount: Int {
    let chunkCount = chunkCount.withLock { $0 }
    return (0..<chunkCount).reduce(0) { count, number in
      let chunk = chunks[number].unsafelyUnwrapped
      return count + (0..<Int(chunkSize)).count { chunk[$0].isUsed }
    }
  }

  private static func changed(_ head: UInt64, first: UInt32) -> UInt64 {
    (head >> 32 &+ 1) << 32 | UInt64(first)
  }

  private static func cell(_ number: UInt32) -> UnsafeMutablePointer<HandleCell> {
    let index = number - 1
    return chunks[Int(index / chunkSize)].unsafelyUnwrapped + Int(index % chunkSize)
  }

  private static func grow() -> UnsafeMutablePointer<HandleCell> {
    let first = chunkCount.withLock { count in
      guard count < chunkLimit else {
        fatalError("FlexSync: more than 64 million handles have not been released")
      }
      let chunk = UnsafeMutablePointer<HandleCell>.allocate(capacity: Int(chunkSize))
      let first = UInt32(count) * chunkSize + 1
      for offset in 0..<chunkSize {
        (chunk + Int(offset)).initialize(to: HandleCell(number: first + offset))
      }
      (chunks + count).initialize(to: chunk)
      count += 1
      return first
    }
    if first == 1 { ForkGuard.watch() }
    for offset in 1..<chunkSize { give(cell(first + offset)) }
    return cell(first)
  }
}
