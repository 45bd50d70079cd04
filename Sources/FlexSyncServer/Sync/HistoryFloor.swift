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

  /// Forgets files that were last seen before a time, in seconds since 1970, and history that no other file needs.
  /// Inside a write.
  func raise(forgettingFilesBefore time: Int64) throws {
    try store.deleteFiles(lastSeenBefore: time)
    guard let needed = try store.oldestNeededVersion() else { return }
    let floor = min(needed, try store.currentVersion())
    guard floor > (try version) else { return }
    try store.deleteHistory(before: floor)
    try store.set(HistoryFloor.versionName, to: Int64(clamping: floor))
  }
}
