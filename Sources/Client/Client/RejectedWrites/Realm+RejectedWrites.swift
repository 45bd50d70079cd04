// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

extension Realm {
  /// Returns the rejected writes as the open write transaction sees them, or else the newest ones.
  ///
  /// - Throws: `CoreError` NOT_SYNCED, `StorageError`.
  func rejectedWrites() throws -> [RejectedWrite] {
    let store = try requireSubscriptions()
    return try isInWrite ? file.rejectedWrites() : store.rejectedWrites()
  }

  /// Observes the rejected writes and makes the first report due.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NOT_SYNCED.
  func observeRejectedWrites(_ report: @escaping (CollectionDiff) -> Void) throws -> NotificationToken {
    try requireOpen()
    _ = try requireSubscriptions()
    return try addReportingObserver(RejectedWritesObserver(self, report))
  }

  /// Resubmits a rejected write as part of the open write transaction.
  ///
  /// - Throws: `CoreError` NOT_IN_WRITE_TRANSACTION, NOT_SYNCED, NO_SUBSCRIPTION_FOR_WRITE, INVALID_ARGUMENT,
  ///   OBJECT_INVALIDATED; `StorageError`.
  func resubmitRejectedWrite(_ id: Int64) throws {
    try requireWrite()
    let subscriptions = try requireSubscriptions()
    let object = try file.rejectedWrites().first { $0.id == id }?.object
    if let object { try requireSubscription(object.table, subscriptions) }
    let rowBefore = try object.flatMap(store.row(of:))
    let instructions = try file.resubmitRejectedWrite(id)
    writeLog.record(instructions)
    if let object, rowBefore == nil { try noteCreated(object) }
    becomeOutdated()
  }

  private func requireSubscription(_ className: String, _ subscriptions: SubscriptionStore) throws {
    if let info = schema[className] { return try requireSubscription(info) }
    guard try subscriptions.hasSubscription(to: className) else { throw CoreError.noSubscription(className) }
  }

  private func noteCreated(_ object: ObjectReference) throws {
    guard let info = schema[object.table], let row = try store.row(of: object) else { return }
    writeLog.noteCreated(info.key, row: row)
  }

  /// Discards a rejected write: with the open write transaction, or else immediately.
  ///
  /// - Returns: whether there was one with that id.
  /// - Throws: `CoreError` NOT_SYNCED, `StorageError`.
  func discardRejectedWrite(_ id: Int64) throws -> Bool {
    let store = try requireSubscriptions()
    guard !isInWrite else { return try file.discardRejectedWrite(id) }
    guard try inTurn({ try store.discardRejectedWrite(id) }) else { return false }
    coordinator.noteRejectedWrites().tellOthers()
    return true
  }
}

extension CoreError {
  init(resubmission error: ResubmissionError) {
    let status: Status =
      switch error.kind {
      case .notKept: .invalidArgument
      case .impossible: .objectInvalidated
      }
    self.init(status, error.description)
  }
}
