// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// Limits on how much of the history is held in memory.
package struct HistoryLimits: Sendable {
  /// The maximum number of recent versions kept in memory, and of their encoded bytes.
  package var recentCount = 1024
  package var recentByteCount = 4 << 20
  /// The number of encoded bytes at which a piece read from the store is full.
  package var pieceByteCount = 1 << 20
  /// The maximum number of encoded bytes of a client file's stream kept in memory for merging its uploads. Anything
  /// beyond is read from the store again when it is needed.
  package var windowByteCount = 1 << 20
}

/// The committed history: the newest versions in memory, and older ones read from the store piece by piece, so that
/// memory use does not depend on how long a client was away.
package final class CommittedHistory {
  private typealias RecentVersion = (entry: CommittedEntry, byteCount: Int)

  let store: ServerStore
  let limits: HistoryLimits
  /// Consecutive versions, each with its size in bytes. The last one is `version`.
  private var recent: [RecentVersion] = []
  private var recentByteCount = 0
  private var layouts: [String: ImageLayout] = [:]
  /// The newest version.
  private(set) var version: UInt64 = 0

  package init(store: ServerStore, limits: HistoryLimits = HistoryLimits()) throws {
    self.store = store
    self.limits = limits
    version = try store.currentVersion()
  }

  /// The number of versions in memory.
  var recentCount: Int { recent.count }

  /// Picks up versions that another process has added. Must be called inside a transaction.
  func refresh() throws {
    let current = try store.currentVersion()
    guard current != version else { return }
    version = current
    forgetRecent()
  }

  /// Discards everything in memory, for example after a transaction was rolled back.
  func reload() throws {
    forgetRecent()
    version = try store.currentVersion()
  }

  private func forgetRecent() {
    recent = []
    recentByteCount = 0
  }

  /// Appends the next version. Must be called inside a write.
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
    let byteCount = try store.insert(entry)
    version += 1
    recent.append((committed(entry), byteCount))
    recentByteCount += byteCount
    while recent.count > 1, recent.count > limits.recentCount || recentByteCount > limits.recentByteCount {
      let half = recent.count / 2
      recentByteCount -= recent[..<half].reduce(0) { $0 + $1.byteCount }
      recent.removeFirst(half)
    }
  }

  /// Returns some of the versions after `version`, beginning with the next one. The result is empty only if `version`
  /// is the newest.
  ///
  /// - Parameter isSmall: whether the piece must be small, for work that is spread over turns.
  func piece(after version: UInt64, isSmall: Bool = false) throws -> [CommittedEntry] {
    guard version < self.version else { return [] }
    if let first = recent.first, first.entry.entry.version <= version + 1 {
      let piece = recent[Int(version + 1 - first.entry.entry.version)...]
      return (isSmall ? CommittedHistory.begin(of: piece) : piece).map(\.entry)
    }
    let byteCount = limits.pieceByteCount
    return try store.history(
      after: version,
      through: self.version,
      maximumByteCount: isSmall ? min(byteCount, CommittedHistory.smallPieceByteCount) : byteCount
    ).map(committed)
  }

  private static let smallPieceByteCount = 32 << 10

  private static func begin(of piece: ArraySlice<RecentVersion>) -> ArraySlice<RecentVersion> {
    var byteCount = 0
    return piece.prefix { version in
      defer { byteCount += version.byteCount }
      return byteCount <= smallPieceByteCount
    }
  }

  /// Whether the history after a version spans more than `recentCount` versions, or does not fit into one piece.
  func isLong(after version: UInt64) throws -> Bool {
    guard version < self.version else { return false }
    guard self.version - version <= UInt64(limits.recentCount) else { return true }
    return try piece(after: version).last?.entry.version != self.version
  }

  /// Passes all versions after `version` to `body`, in order and in pieces.
  func forEachPiece(after version: UInt64, _ body: ([CommittedEntry]) throws -> Void) throws {
    var version = version
    while true {
      let piece = try piece(after: version)
      guard let last = piece.last else { return }
      try body(piece)
      version = last.entry.version
    }
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
