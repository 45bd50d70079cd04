// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage

/// The oldest version from which streams can be extended: what came before is forgotten, or its images lack fields
/// that are queryable now.
struct HistoryFloor {
  private static let versionName = "history_floor"
  private static let fieldsName = "queryable_fields"

  let store: ServerStore

  /// Streams that end before this version cannot be extended.
  var version: UInt64 {
    get throws { UInt64(clamping: try store.setting(HistoryFloor.versionName) ?? 0) }
  }

  /// Raises the floor to a version if the queryable fields differ from those of the last start.
  func update(queryableFields: String, version: UInt64) throws {
    let known = try store.textSetting(HistoryFloor.fieldsName)
    guard known != queryableFields else { return }
    try store.write {
      try store.set(HistoryFloor.fieldsName, to: queryableFields)
      if known != nil { try store.set(HistoryFloor.versionName, to: Int64(clamping: version)) }
    }
  }

  /// Forgets files that were last seen before a time, in seconds since 1970, and history that no other file needs: some
  /// at a time, so that nobody waits for long. Inside a write.
  ///
  /// - Returns: Whether there is more to forget.
  func raise(forgettingFilesBefore time: Int64, maximumCount: Int) throws -> Bool {
    let hasMoreFiles = try store.deleteFiles(lastSeenBefore: time, maximumCount: maximumCount)
    // Without files, nobody needs any of it but the newest version, which is the counter.
    let newest = try store.currentVersion()
    let floor = max(min(try store.oldestNeededVersion() ?? newest, newest), try version)
    if floor > (try version) { try store.set(HistoryFloor.versionName, to: Int64(clamping: floor)) }
    CrashPoint.reached(.serverInsideCompaction)
    let hasMoreHistory = try store.deleteHistory(before: floor, maximumCount: maximumCount)
    return hasMoreFiles || hasMoreHistory
  }
}
