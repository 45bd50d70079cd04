// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// How much of the history is in memory at a time.
package struct HistoryLimits: Sendable {
  /// How many of the newest versions are kept, and how many bytes they may take encoded.
  package var recentCount: Int
  package var recentByteCount: Int
  /// The encoded bytes after which a piece that is read from the store is full.
  package var pieceByteCount: Int
  /// How many encoded bytes of a client file's stream are in memory for merges with its uploads; more is read again from
  /// the store when it is needed.
  package var windowByteCount: Int

  package init(
    recentCount: Int = 1024,
    recentByteCount: Int = 4 << 20,
    pieceByteCount: Int = 1 << 20,
    windowByteCount: Int = 1 << 20
  ) {
    self.recentCount = recentCount
    self.recentByteCount = recentByteCount
    self.pieceByteCount = pieceByteCount
    self.windowByteCount = windowByteCount
  }
}

/// The newest versions of the history in memory, older ones from the store piece by piece, so that memory does not
/// depend on how long a client was away.
package final class CommittedHistory {
  private typealias RecentVersion = (entry: CommittedEntry, byteCount: Int)

  private let store: ServerStore
  let limits: HistoryLimits
  /// Consecutive versions with the bytes that each takes, the last one is `version`.
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

  /// How many versions are in memory.
  var recentCount: Int { recent.count }

  /// Notices versions that another process has added. Inside a transaction.
  func refresh() throws {
    let current = try store.currentVersion()
    guard current != version else { return }
    version = current
    forgetRecent()
  }

  /// Forgets everything, for example after a transaction was taken back.
  func reload() throws {
    forgetRecent()
    version = try store.currentVersion()
  }

  private func forgetRecent() {
    recent = []
    recentByteCount = 0
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

  /// The next versions after one, some of them; none only if it is the newest.
  ///
  /// - Parameter isSmall: whether it must be little, for work that is divided among turns.
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

  /// Whether what came after a version is more than is in memory, and more than is read at once.
  func isLong(after version: UInt64) throws -> Bool {
    guard version < self.version else { return false }
    guard self.version - version <= UInt64(limits.recentCount) else { return true }
    return try piece(after: version).last?.entry.version != self.version
  }

  /// Gives the versions after one, up to the newest, in order and in pieces.
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
