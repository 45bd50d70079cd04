// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import Synchronization

/// The exclusive use of a realm by one thread, during each of its calls and throughout a write transaction. It is
/// not a lock: other threads are refused and do not wait. Only those of a frozen realm, which has no threads of its own,
/// wait for each other.
///
/// The owner frees it with `deallocate`; a counted reference would cost more than the check.
struct ThreadClaim: @unchecked Sendable {
  private struct Cell: ~Copyable {
    /// The thread that is in a call, or with the mark, one that is between calls of its write transaction; 0 for
    /// none.
    let owner = Atomic<UInt>(0)
    /// The number of calls nested in callbacks of the outermost call. Accessed by the owner only.
    var depth = 0
    /// Whether the claim outlasts the call. Accessed by the owner only.
    var isKept = false
    /// What threads wait for, if they do.
    var turn: RecursiveLock?
  }

  /// Thread numbers are addresses, so this bit is free.
  private static let keptMark: UInt = 1
  /// The owner of a claim for which threads wait. Not the number of a thread.
  private static let waitMark: UInt = 2

  private let cell: UnsafeMutablePointer<Cell>

  /// - Parameter waits: whether threads wait for each other.
  init(waits: Bool = false) {
    cell = .allocate(capacity: 1)
    cell.initialize(to: Cell())
    guard waits else { return }
    cell.pointee.turn = RecursiveLock()
    cell.pointee.owner.store(Self.waitMark, ordering: .releasing)
  }

  func deallocate() {
    cell.deinitialize(count: 1)
    cell.deallocate()
  }

  /// Begins a call; returns false if another thread holds the claim. On success the caller ends the call with
  /// `leave`.
  @inline(__always)
  func enter() -> Bool {
    let own = CurrentThread.number
    let owner = cell.pointee.owner.load(ordering: .relaxed)
    if owner == 0 || owner == own | Self.keptMark { return begin(instead: owner, own) }
    guard owner == own else { return owner == Self.waitMark && waitForTurn() }
    cell.pointee.depth += 1
    return true
  }

  @inline(never)
  private func waitForTurn() -> Bool {
    cell.pointee.turn?.lock()
    return true
  }

  /// Begins the call that closes the realm; returns false if another thread is in a call. A write transaction that
  /// is between calls ends with the realm, regardless of which thread began it.
  func enterToClose() -> Bool {
    let owner = cell.pointee.owner.load(ordering: .relaxed)
    guard owner & Self.keptMark != 0 else { return enter() }
    return begin(instead: owner, CurrentThread.number)
  }

  @inline(__always)
  private func begin(instead owner: UInt, _ own: UInt) -> Bool {
    cell.pointee.owner.compareExchange(
      expected: owner,
      desired: own,
      successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Ends a call begun with `enter`.
  @inline(__always)
  func leave() {
    guard cell.pointee.depth == 0 else {
      cell.pointee.depth -= 1
      return
    }
    if cell.pointee.owner.load(ordering: .relaxed) == Self.waitMark { return endTurn() }
    let next = cell.pointee.isKept ? cell.pointee.owner.load(ordering: .relaxed) | Self.keptMark : 0
    cell.pointee.owner.store(next, ordering: .releasing)
  }

  @inline(never)
  private func endTurn() { cell.pointee.turn?.unlock() }

  /// Sets whether the claim outlasts the current call.
  func keep(_ isKept: Bool) { cell.pointee.isKept = isKept }

  /// - Throws: `CoreError` WRONG_THREAD if another thread holds the claim; otherwise what `body` throws.
  @inline(__always)
  func run<Result>(_ body: () throws -> Result) throws -> Result {
    guard enter() else { throw Self.refusal }
    defer { leave() }
    return try body()
  }

  static var refusal: CoreError {
    CoreError(
      .wrongThread,
      "Another thread is using this realm or something obtained from it, or has a write transaction open on it. "
        + "Open a realm for each thread, or hand it over when the other thread has finished."
    )
  }
}
