// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncStore
import Synchronization

/// The record of what a handle's write transactions do besides changing rows.
///
/// A class, so that access to one part does not count references to the others.
final class WriteLog {
  /// The changeset of the open write transaction, which the store writes as well; nil for a local realm.
  let capture: ChangeCapture?
  /// Whether the open write transaction has declared classes or properties.
  var hasDeclared = false
  /// The number of write transactions that this handle has begun, and of times that it was invalidated.
  @exclusivity(unchecked) private(set) var number: UInt64 = 0
  /// The number at which everything obtained before became invalid.
  @exclusivity(unchecked) private(set) var era: UInt64 = 0
  /// The first row that the open transaction created in each class.
  @exclusivity(unchecked) private var firstCreated: [flx_class_key_t: Int64] = [:]
  /// For each canceled transaction, the first created row of each class. Rows from there on do not exist, or belong
  /// to other objects by now.
  @exclusivity(unchecked) private var canceled: [UInt64: [flx_class_key_t: Int64]] = [:]
  /// The numbers of the transactions in `canceled`, oldest first.
  private var canceledNumbers: [UInt64] = []
  /// The number of canceled transactions to remember. Handles of objects from older ones are no longer recognised
  /// as invalid.
  private static let canceledLimit = 4096
  /// The fate of the open write transaction, if there are references to what it created.
  private var fate: WriteFate?

  init(_ capture: ChangeCapture?) { self.capture = capture }

  func begin() {
    number += 1
    end()
  }

  /// Makes what was obtained so far invalid.
  func invalidate() {
    number += 1
    era = number
  }

  func end() {
    capture?.reset()
    hasDeclared = false
    firstCreated = [:]
    fate = nil
  }

  func cancel() {
    fate?.cancel()
    if !firstCreated.isEmpty { noteCanceled() }
    end()
  }

  private func noteCanceled() {
    canceled[number] = firstCreated
    canceledNumbers.append(number)
    guard canceledNumbers.count > Self.canceledLimit else { return }
    let half = Self.canceledLimit / 2
    for old in canceledNumbers.prefix(half) { canceled[old] = nil }
    canceledNumbers.removeFirst(half)
  }

  func record(_ instructions: [Instruction]) {
    guard let capture else { return }
    for instruction in instructions { capture.append(instruction) }
  }

  func noteCreated(_ classKey: flx_class_key_t, row: Int64) {
    if firstCreated[classKey] == nil { firstCreated[classKey] = row }
  }

  /// Returns the fate of the open write transaction if that created the row.
  func fate(ofCreated classKey: flx_class_key_t, row: Int64) -> WriteFate? {
    guard let first = firstCreated[classKey], row >= first else { return nil }
    let fate = fate ?? WriteFate()
    self.fate = fate
    return fate
  }

  /// Whether a row is no longer the object that it was when it was obtained: it was created by the same transaction and
  /// canceled along with it, or the realm was invalidated since.
  ///
  /// - Parameter transaction: the number of the transaction in which the row was obtained; outside of one, the era.
  @inline(__always)
  func isCanceled(_ transaction: UInt64, _ classKey: flx_class_key_t, row: Int64) -> Bool {
    transaction < era || !canceled.isEmpty && wasCreated(in: transaction, classKey, row: row)
  }

  @inline(never)
  private func wasCreated(in transaction: UInt64, _ classKey: flx_class_key_t, row: Int64) -> Bool {
    guard let first = canceled[transaction]?[classKey] else { return false }
    return row >= first
  }
}

/// Tells references to the objects that a write transaction creates whether it was committed. Any thread.
final class WriteFate: Sendable {
  private let canceled = Atomic(false)

  /// Whether the transaction was canceled. The rows that it created may belong to other objects by now.
  var isCanceled: Bool { canceled.load(ordering: .acquiring) }

  func cancel() { canceled.store(true, ordering: .releasing) }
}

extension Realm {
  /// Records an instruction of the write transaction. The instruction is built only if the realm is synced.
  @inline(__always)
  func record(_ instruction: @autoclosure () throws -> Instruction) rethrows {
    guard let capture = writeLog.capture else { return }
    capture.append(try instruction())
  }
}
