// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore
import FlexSyncStore

/// The oldest version from which streams can be extended. Older history is forgotten, or its images lack fields that
/// views may examine.
struct HistoryFloor {
  private static let versionName = "history_floor"
  private static let fieldsName = "queryable_fields"
  private static let formerFieldsName = "formerly_queryable_fields"

  let store: ServerStore

  /// Streams that end before this version cannot be extended.
  var version: UInt64 {
    get throws { UInt64(clamping: try store.setting(HistoryFloor.versionName) ?? 0) }
  }

  /// Raises the floor to a version if a field is queryable again after a time when it was not. The images from that
  /// time lack the field, and a client that was away may have a view from before it. Fields that are queryable for
  /// the first time need no such measure: no view that examines older images refers to them.
  ///
  /// - Parameter queryableFields: the field names, by class.
  func update(queryableFields: [String: [String]], version: UInt64) throws {
    let fields = HistoryFloor.names(queryableFields)
    let known = try names(HistoryFloor.fieldsName)
    guard known != fields else { return }
    let former = try names(HistoryFloor.formerFieldsName).union(known.subtracting(fields))
    try store.write {
      try store.set(HistoryFloor.fieldsName, to: HistoryFloor.text(fields))
      try store.set(HistoryFloor.formerFieldsName, to: HistoryFloor.text(former.subtracting(fields)))
      guard !former.isDisjoint(with: fields) else { return }
      try store.set(HistoryFloor.versionName, to: Int64(clamping: version))
    }
  }

  /// The fields that were once queryable and no longer are, as `Class.field`.
  var formerlyQueryableFields: Set<String> {
    get throws { try names(HistoryFloor.formerFieldsName) }
  }

  private static func names(_ fields: [String: [String]]) -> Set<String> {
    Set(fields.flatMap { className, names in names.map { "\(className).\($0)" } })
  }

  private func names(_ setting: String) throws -> Set<String> {
    guard let text = try store.textSetting(setting) else { return [] }
    return Set((try JSON.parse(text).arrayValue ?? []).compactMap(\.stringValue))
  }

  private static func text(_ names: Set<String>) -> String {
    JSON.array(names.sorted().map(JSON.string)).serialized
  }

  /// Forgets files that were last seen before a time, in seconds since 1970, and history that no other file needs.
  /// Works in batches, so that no client waits for long. Must be called inside a write.
  ///
  /// - Parameter keptSpan: the number of versions that are kept for the sake of `KeptBatches`.
  /// - Returns: Whether there is more to forget.
  func raise(forgettingFilesBefore time: Int64, keptSpan: UInt64, maximumCount: Int) throws -> Bool {
    let hasMoreFiles = try store.deleteFiles(lastSeenBefore: time, maximumCount: maximumCount)
    // Without files, nothing is needed except the newest version, which serves as the counter.
    let newest = try store.currentVersion()
    // A client that has kept batches of a set for longer than that has to start over when it asks for the set again.
    let oldestKept = newest - min(newest, keptSpan)
    let needed = try store.oldestNeededVersion(keptBatchesFrom: oldestKept) ?? newest
    let floor = max(min(needed, newest), try version)
    if floor > (try version) { try store.set(HistoryFloor.versionName, to: Int64(clamping: floor)) }
    CrashPoint.reached(.serverInsideCompaction)
    let hasMoreHistory = try store.deleteHistory(before: floor, maximumCount: maximumCount)
    return hasMoreFiles || hasMoreHistory
  }
}
