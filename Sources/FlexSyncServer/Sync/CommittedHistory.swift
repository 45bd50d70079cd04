// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStorage

/// The newest versions of the history in memory, older ones from the store.
final class CommittedHistory {
  private static let capacity = 1024

  private let store: ServerStore
  /// Consecutive versions, the last one is `version`.
  private var recent: [CommittedEntry] = []
  private var layouts: [String: ImageLayout] = [:]
  /// The newest version.
  private(set) var version: UInt64 = 0

  init(store: ServerStore) throws {
    self.store = store
    version = try store.currentVersion()
  }

  /// Notices versions that another process has added. Inside a transaction.
  func refresh() throws {
    let current = try store.currentVersion()
    guard current != version else { return }
    version = current
    recent = []
  }

  /// Forgets everything, for example after a transaction was taken back.
  func reload() throws {
    recent = []
    version = try store.currentVersion()
  }

  /// Appends the next version. Inside a write.
  func append(stamp: OriginStamp, instructions: [Instruction], objects: [TouchedObject], schema: AppSchema)
    throws
  {
    var names: [String: [String]] = [:]
    for touched in objects where names[touched.object.table] == nil {
      names[touched.object.table] = schema.layout(of: touched.object.table).fields
    }
    let entry = HistoryEntry(
      version: version + 1,
      stamp: stamp,
      instructions: instructions,
      images: HistoryImages(layouts: names, objects: objects)
    )
    try store.insert(entry)
    version += 1
    if recent.count >= CommittedHistory.capacity { recent.removeFirst(CommittedHistory.capacity / 2) }
    recent.append(committed(entry))
  }

  /// The versions after one, up to the newest.
  func entries(after version: UInt64) throws -> [CommittedEntry] {
    guard version < self.version else { return [] }
    if let first = recent.first, first.entry.version <= version + 1 {
      return Array(recent[Int(version + 1 - first.entry.version)...])
    }
    return try store.history(after: version, through: self.version).map(committed)
  }

  private func committed(_ entry: HistoryEntry) -> CommittedEntry {
    CommittedEntry(entry: entry, layouts: entry.images.layouts.mapValues(layout))
  }

  private func layout(_ fields: [String]) -> ImageLayout {
    let name = fields.joined(separator: "\u{0}")
    if let layout = layouts[name] { return layout }
    let layout = ImageLayout(fields: fields)
    layouts[name] = layout
    return layout
  }
}
