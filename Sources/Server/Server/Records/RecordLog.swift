// SPDX-License-Identifier: Apache-2.0

import FlexSyncEngine
import FlexSyncScheduling
import FlexSyncServerSupport
import Logging

/// Takes the records of an app while it is served, and has them written on another thread. Confined to the loop.
///
/// A record costs the loop an element of an array. Records that cannot be written, because the disk is full or slower than
/// the server, are counted and left out: sync goes on. So are those of a user who has had a share of them in this hour: no
/// user can push out what others did.
final class RecordLog {
  /// How many records wait to be written at most.
  private static let maximumPendingCount = 50_000
  /// How long the first of them waits for others.
  private static let delayMilliseconds: UInt64 = 100

  private static let shareMilliseconds: Int64 = 3_600_000

  private let files: RecordFiles
  private let bytesPerUser: Int
  private let worker: any BlockingWorker
  private let scheduler: any Scheduler
  private let logger: Logger
  private var pending: [SyncRecord] = []
  /// How many bytes the records of users have taken in this hour.
  private var shares: [String: Int] = [:]
  private var shareEnd: Int64 = 0
  private var omittedCount = 0
  private var isWriting = false
  private var isFailing = false

  /// - Parameter bytesPerUser: how much is recorded of a user in an hour.
  init(
    files: RecordFiles,
    bytesPerUser: Int,
    worker: any BlockingWorker,
    scheduler: any Scheduler,
    logger: Logger
  ) {
    self.files = files
    self.bytesPerUser = bytesPerUser
    self.worker = worker
    self.scheduler = scheduler
    self.logger = logger
  }

  func record(_ record: SyncRecord) {
    guard takeShare(record) else { return }
    guard pending.count < RecordLog.maximumPendingCount else {
      omittedCount += 1
      return
    }
    pending.append(record)
    guard !isWriting else { return }
    isWriting = true
    _ = scheduler.startTimer(afterMilliseconds: RecordLog.delayMilliseconds) { [weak self] in self?.write() }
  }

  /// False if the user has had enough in this hour.
  private func takeShare(_ record: SyncRecord) -> Bool {
    if record.time >= shareEnd {
      shares = [:]
      shareEnd = record.time + RecordLog.shareMilliseconds
    }
    let taken = shares[record.userID, default: 0]
    guard taken < bytesPerUser else { return false }
    shares[record.userID] = taken + record.byteCount
    if taken + record.byteCount >= bytesPerUser {
      logger.warning(
        "a user's records are left out for up to an hour, since there are too many (limit record-bytes-per-user)",
        metadata: ["user": "\(record.userID)"]
      )
    }
    return true
  }

  private func write() {
    let records = pending
    pending = []
    worker.performBlocking { [files] in
      RecordLog.append(records, to: files)
    } completion: { [weak self] error in
      self?.written(records.count, error)
    }
  }

  private func written(_ count: Int, _ error: FileError?) {
    note(count, error)
    if pending.isEmpty { isWriting = false } else { write() }
  }

  /// Says once that records are left out, and once that they no longer are.
  private func note(_ count: Int, _ error: FileError?) {
    if let error {
      omittedCount += count
      if !isFailing { logger.error("records cannot be written", metadata: ["error": "\(error)"]) }
      isFailing = true
    } else if omittedCount > 0 {
      logger.warning("records are written again", metadata: ["omitted": "\(omittedCount)"])
      omittedCount = 0
      isFailing = false
    }
  }

  /// Writes what is pending before the server ends.
  func close() {
    let records = pending
    pending = []
    guard !records.isEmpty else { return }
    note(records.count, RecordLog.append(records, to: files))
  }

  private static func append(_ records: [SyncRecord], to files: RecordFiles) -> FileError? {
    do throws(FileError) {
      try files.append(records.map(\.line).joined())
      return nil
    } catch {
      return error
    }
  }
}
