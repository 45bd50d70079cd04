// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The place of one handle. Its memory is never given back, so that it can be looked at whatever became of the handle.
struct HandleCell: ~Copyable {
  /// The outcome of releasing a handle.
  enum Release {
    /// C has it still.
    case kept
    case ended
    /// C did not have it any more.
    case wasReleased
  }

  /// The object, which the cell keeps alive; meaningless in a free cell.
  let object = Atomic<UInt>(0)
  /// From above: 16 bits of the generation, which changes with each use of the cell; 16 bits of the kind, 0 if the cell is
  /// free; 32 bits that say how often C has to release the handle. In one word, so that of two threads that release
  /// the same handle one is told so.
  private let state: Atomic<UInt64>
  /// In a free cell: the number of the next free one, 0 for none.
  let next = Atomic<UInt32>(0)
  /// Begins with 1.
  let number: UInt32

  init(number: UInt32) {
    self.number = number
    state = Atomic(1 << 48)
  }

  /// Generation and kind.
  @inline(__always)
  var tag: UInt32 { UInt32(truncatingIfNeeded: state.load(ordering: .acquiring) >> 32) }

  /// Gives a free cell to an object.
  ///
  /// - Returns: the generation of the handle.
  func begin(_ object: UnsafeMutableRawPointer, _ kind: HandleKind) -> UInt16 {
    let generation = state.load(ordering: .relaxed) >> 48
    self.object.store(UInt(bitPattern: object), ordering: .relaxed)
    state.store(generation << 48 | UInt64(kind.rawValue) << 32 | 1, ordering: .releasing)
    return UInt16(generation)
  }

  /// One more release is due.
  func retain() { state.wrappingAdd(1, ordering: .relaxed) }

  /// Gives one reference to the handle with this tag back.
  func release(_ tag: UInt32) -> Release {
    var old = state.load(ordering: .relaxed)
    while true {
      guard UInt32(truncatingIfNeeded: old >> 32) == tag else { return .wasReleased }
      let isLast = UInt32(truncatingIfNeeded: old) == 1
      let exchange = state.weakCompareExchange(
        expected: old,
        desired: isLast ? Self.freed(old) : old - 1,
        successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      )
      if exchange.exchanged { return isLast ? .ended : .kept }
      old = exchange.original
    }
  }

  /// Whether the cell has had every generation. It is not used again, as a handle from long ago would then be valid again.
  var isUsedUp: Bool { state.load(ordering: .relaxed) >> 48 == 0 }

  /// The next generation; after the last one 0, which no handle has.
  private static func freed(_ state: UInt64) -> UInt64 { ((state >> 48) + 1) << 48 }
}
