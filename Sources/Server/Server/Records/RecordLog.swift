// SPDX-License-Identifier: Apache-2.0

import FlexSyncEngine
import FlexSyncScheduling
import FlexSyncServerSupport
import Logging

/// Collects the records of a served app and writes them on another thread. Confined to the loop.
///
/// Recording costs the loop no more than appending to an array. Records that cannot be written, because the disk is
/// full or slower than the server, are dropped and counted; sync continues. Records of a user who has used up the
/// hourly share are dropped as well, so no user can crowd out the records of others.
final class RecordLog {
  /// The maximum number of records waiting to be written.
  private static let maximumPendingCount = 50_000
  /// How long the first record waits for others.
  private static let delayMilliseconds: UInt64 = 100

  private static let shareMilliseconds: Int64 = 3_600_000

  private let files: RecordFiles
  private let bytesPerUser: Int
  private let worker: any BlockingWorker
  private let scheduler: any Scheduler
  private let logger: Logger
  private var pending: [SyncRecord] = []
  /// The number of bytes that each user's records have taken in the current hour.
  private var shares: [String: Int] = [:]
  private var shareEnd: Int64 = 0
  private var omittedCount = 0
  private var isWriting = false
  private var isFailing = false

  /// - Parameter bytesPerUser: The maximum size of a user's records per hour.
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

  /// Counts a record towards the user's share. Returns false if the share for the current hour is used up.
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
        "dropping a user's records for up to an hour because there are too many (limit record-bytes-per-user)",
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

  /// Logs once that records are being dropped, and once that they are being written again.
  private func note(_ count: Int, _ error: FileError?) {
    if let error {
      omittedCount += count
      if !isFailing { logger.error("could not write records", metadata: ["error": "\(error)"]) }
      isFailing = true
    } else if omittedCount > 0 {
      logger.warning("writing records again", metadata: ["omitted": "\(omittedCount)"])
      omittedCount = 0
      isFailing = false
    }
  }

  /// Writes the pending records before the server stops.
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
