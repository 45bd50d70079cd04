// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The cell behind one handle. Its memory is never freed, so it can be read whatever has become of the handle.
struct HandleCell: ~Copyable {
  /// The outcome of releasing a handle.
  enum Release {
    /// C still holds references.
    case kept
    case ended
    /// C holds no more references, but a loan keeps the cell and the object.
    case returned
    /// C no longer held a reference.
    case wasReleased
  }

  /// The object, which the cell keeps alive; meaningless in a free cell.
  let object = Atomic<UInt>(0)
  /// From the top: 16 bits of generation, which changes with each use of the cell; 16 bits of kind, 0 if the cell is
  /// free; a mark for a loan; 31 bits that count how many times C has to release the handle. All in one word, so if two
  /// threads release the same handle, one of them learns of it.
  private let state: Atomic<UInt64>
  private static let loanMark: UInt64 = 1 << 31
  /// In a free cell, the number of the next free one; 0 for none.
  let next = Atomic<UInt32>(0)
  /// Starts at 1.
  let number: UInt32

  init(number: UInt32) {
    self.number = number
    state = Atomic(1 << 48)
  }

  /// The generation and the kind.
  @inline(__always)
  var tag: UInt32 { UInt32(truncatingIfNeeded: state.load(ordering: .acquiring) >> 32) }

  /// Whether C has a handle, or the library lends it one.
  var isUsed: Bool { tag & 0xffff != 0 }

  /// Assigns a free cell to an object.
  ///
  /// - Returns: the generation of the handle.
  func begin(_ object: UnsafeMutableRawPointer, _ kind: HandleKind) -> UInt16 {
    let generation = state.load(ordering: .relaxed) >> 48
    self.object.store(UInt(bitPattern: object), ordering: .relaxed)
    state.store(generation << 48 | UInt64(kind.rawValue) << 32 | 1, ordering: .releasing)
    return UInt16(generation)
  }

  /// Assigns a free cell, or one whose handle was returned, to an object that an `ObjectLoan` keeps alive.
  ///
  /// - Returns: the generation of the handle.
  func beginLoan(_ object: UnsafeMutableRawPointer, _ kind: HandleKind) -> UInt16 {
    let generation = state.load(ordering: .relaxed) >> 48
    self.object.store(UInt(bitPattern: object), ordering: .relaxed)
    state.store(
      generation << 48 | UInt64(kind.rawValue) << 32 | Self.loanMark | 1,
      ordering: .releasing
    )
    return UInt16(generation)
  }

  /// Whether C has returned the lent handle, so that the loan can assign the cell again.
  var isReturned: Bool {
    let state = state.load(ordering: .acquiring)
    return state & 0xffff_ffff_ffff == Self.loanMark && state >> 48 != 0
  }

  /// Ends a loan.
  ///
  /// - Returns: whether C has returned the handle; otherwise the handle is now like any other.
  func endLoan() -> Bool {
    let old = state.bitwiseAnd(~Self.loanMark, ordering: .acquiringAndReleasing).oldValue
    return old >> 32 & 0xffff == 0
  }

  /// Adds a reference, which C must release as well.
  func retain() { state.wrappingAdd(1, ordering: .relaxed) }

  /// Drops one reference to the handle with this tag.
  @inline(__always)
  func release(_ tag: UInt32) -> Release {
    var old = state.load(ordering: .relaxed)
    while true {
      guard UInt32(truncatingIfNeeded: old >> 32) == tag else { return .wasReleased }
      let loan = old & Self.loanMark
      let isLast = UInt32(truncatingIfNeeded: old ^ loan) == 1
      let exchange = state.weakCompareExchange(
        expected: old,
        desired: isLast ? Self.freed(old) | loan : old - 1,
        successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      )
      if exchange.exchanged { return !isLast ? .kept : loan == 0 ? .ended : .returned }
      old = exchange.original
    }
  }

  /// Whether the cell has gone through every generation. Such a cell is not reused, since a handle from long ago
  /// would become valid again.
  var isUsedUp: Bool { state.load(ordering: .relaxed) >> 48 == 0 }

  /// The state of the freed cell with the next generation; after the last one 0, which no handle has.
  private static func freed(_ state: UInt64) -> UInt64 { ((state >> 48) + 1) << 48 }
}
