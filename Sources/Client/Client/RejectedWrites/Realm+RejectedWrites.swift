// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel

extension Realm {
  /// Returns the rejected writes as the open write transaction sees them, or else the newest ones.
  ///
  /// - Throws: `CoreError` NOT_SYNCED, `StorageError`.
  func rejectedWrites() throws -> RejectedWriteList {
    RejectedWriteList(try currentRejectedWrites())
  }

  /// - Throws: `CoreError` NOT_SYNCED, `StorageError`.
  func currentRejectedWrites() throws -> [RejectedWrite] {
    let store = try requireSubscriptions()
    return try isInWrite ? file.rejectedWrites() : store.rejectedWrites()
  }

  /// Observes the rejected writes and makes the first report due.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NOT_SYNCED.
  func observeRejectedWrites(
    _ callback: @escaping flx_collection_observer_t,
    _ userdata: Userdata
  ) throws -> NotificationToken {
    try requireOpen()
    _ = try requireSubscriptions()
    let token = addObserver(RejectedWritesObserver(self, callback, userdata))
    listener.notify()
    return token
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
    guard try coordinator.inTurn({ try store.discardRejectedWrite(id) }) else { return false }
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

/// Rejected writes as C structures, whose texts live as long as this object: `flx_rejected_writes_t`.
final class RejectedWriteList {
  private var texts = TextArena()
  private(set) var structures: [flx_rejected_write_t] = []

  init(_ writes: [RejectedWrite]) {
    structures = writes.map { write in
      var structure = flx_rejected_write_t()
      structure.id = write.id
      structure.class_name = texts.keep(write.object.table)
      structure.primary_key = write.object.key.value.lent(&texts)
      structure.reason = texts.keep(write.reason)
      structure.state = flx_rejected_write_state_t(write.state)
      structure.written_at = flx_timestamp_t(Timestamp(syncMilliseconds: write.writtenAt))
      structure.rejected_at = flx_timestamp_t(Timestamp(syncMilliseconds: write.rejectedAt))
      structure.has_changes = write.hasChanges
      return structure
    }
  }

  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS.
  func structure(at index: Int) throws -> flx_rejected_write_t {
    guard structures.indices.contains(index) else {
      throw CoreError.indexOutOfBounds(index, count: structures.count)
    }
    return structures[index]
  }
}

extension flx_rejected_write_state_t {
  fileprivate init(_ state: RejectedWrite.State) {
    switch state {
    case .kept: self = .FLX_REJECTED_WRITE_KEPT
    case .resubmitted: self = .FLX_REJECTED_WRITE_RESUBMITTED
    }
  }
}

extension Timestamp {
  /// - Parameter milliseconds: since 2015, as in changesets.
  fileprivate init(syncMilliseconds milliseconds: UInt64) {
    self.init(milliseconds: Int64(clamping: milliseconds &+ OriginStamp.epochOffsetMilliseconds))
  }
}
