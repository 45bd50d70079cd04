// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset

/// What a handle's write transactions do besides changing rows.
///
/// A class, so that looking at one part of it counts no references to the others.
final class WriteLog {
  /// Whether changesets are made.
  let isSynced: Bool
  /// The changeset of the open write transaction.
  private(set) var instructions: [Instruction] = []
  /// Whether the open write transaction has declared classes or properties.
  var hasDeclared = false
  /// Counts the write transactions of this handle.
  private(set) var number: UInt64 = 0
  /// The first row that the open transaction created in each class.
  private var firstCreated: [flx_class_key_t: Int64] = [:]
  /// Of transactions that were taken back: rows from these on do not exist, or belong to other objects by now.
  private var canceled: [UInt64: [flx_class_key_t: Int64]] = [:]
  /// The numbers of the transactions in `canceled`, oldest first.
  private var canceledNumbers: [UInt64] = []
  /// Handles of objects that were taken back longer ago than so many transactions are not recognised any more.
  private static let canceledLimit = 4096

  init(isSynced: Bool) { self.isSynced = isSynced }

  func begin() {
    number += 1
    end()
  }

  func end() {
    instructions = []
    hasDeclared = false
    firstCreated = [:]
  }

  func cancel() {
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

  func record(_ instruction: Instruction) {
    if isSynced { instructions.append(instruction) }
  }

  func record(_ more: [Instruction]) {
    if isSynced { instructions += more }
  }

  func noteCreated(_ classKey: flx_class_key_t, row: Int64) {
    if firstCreated[classKey] == nil { firstCreated[classKey] = row }
  }

  /// Whether a row that was met in the transaction of that number was taken back with it.
  func isCanceled(_ transaction: UInt64, _ classKey: flx_class_key_t, row: Int64) -> Bool {
    guard transaction > 0, !canceled.isEmpty, let first = canceled[transaction]?[classKey] else {
      return false
    }
    return row >= first
  }
}

extension Realm {
  /// Notes an instruction of the write transaction; it is made only if somebody needs it.
  ///
  /// It is made before the log is changed: making it may read the log.
  @inline(__always)
  func record(_ instruction: @autoclosure () throws -> Instruction) rethrows {
    guard writeLog.isSynced else { return }
    let made = try instruction()
    writeLog.record(made)
  }
}
