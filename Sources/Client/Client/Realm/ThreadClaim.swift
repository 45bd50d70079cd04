// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncStore
import Synchronization

/// The thread that has a realm to itself: during each of its calls, and from the beginning of a write transaction to its
/// end. It is no lock: other threads are refused, and do not wait.
///
/// The owner frees it with `deallocate`; a reference that is counted would cost more than the check.
struct ThreadClaim: @unchecked Sendable {
  private struct Cell: ~Copyable {
    /// The thread that is in a call; with the mark, one that is not but keeps its write transaction; 0 for none.
    let owner = Atomic<UInt>(0)
    /// The calls in the callbacks of the outermost call. Only for the owner.
    var depth = 0
    /// Whether the claim outlasts the call. Only for the owner.
    var isKept = false
  }

  /// Numbers of threads are addresses, so the bit is free.
  private static let keptMark: UInt = 1

  private let cell: UnsafeMutablePointer<Cell>

  init() {
    cell = .allocate(capacity: 1)
    cell.initialize(to: Cell())
  }

  func deallocate() {
    cell.deinitialize(count: 1)
    cell.deallocate()
  }

  /// Begins a call; false if another thread has the claim. Otherwise `leave` ends the call.
  @inline(__always)
  func enter() -> Bool {
    let own = CurrentThread.number
    let owner = cell.pointee.owner.load(ordering: .relaxed)
    if owner == 0 || owner == own | Self.keptMark { return begin(instead: owner, own) }
    guard owner == own else { return false }
    cell.pointee.depth += 1
    return true
  }

  /// Begins the call that closes the realm; false if another thread is in a call. A write transaction that no call is
  /// about ends with the realm, whoever began it.
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

  /// Ends a call that `enter` has begun.
  @inline(__always)
  func leave() {
    guard cell.pointee.depth == 0 else {
      cell.pointee.depth -= 1
      return
    }
    let next = cell.pointee.isKept ? cell.pointee.owner.load(ordering: .relaxed) | Self.keptMark : 0
    cell.pointee.owner.store(next, ordering: .releasing)
  }

  /// Says whether the claim outlasts the present call.
  func keep(_ isKept: Bool) { cell.pointee.isKept = isKept }

  /// - Throws: `CoreError` WRONG_THREAD if another thread has the claim; else what `body` throws.
  @inline(__always)
  func run<Result>(_ body: () throws -> Result) throws -> Result {
    guard enter() else { throw Self.refusal }
    defer { leave() }
    return try body()
  }

  static var refusal: CoreError {
    CoreError(
      .FLX_STATUS_WRONG_THREAD,
      "Another thread is using this realm or what was obtained from it, or has a write transaction of it open. Open a "
        + "realm for each thread, or hand it over when the other thread has finished."
    )
  }
}
