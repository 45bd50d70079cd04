// SPDX-License-Identifier: Apache-2.0

/// The catch-ups under way, by file ident.
///
/// One whose session has ended waits for the client to come back, so that a client whose connection breaks often gets to
/// its end, too.
struct CatchUps {
  private static let maximumAbandonedCount = 64
  /// Of how many objects the abandoned ones may keep what becomes of them.
  private static let maximumAbandonedSize = 200_000
  /// How many are served at a time. Each has to go through what others write meanwhile, so that many at once would get no
  /// further.
  private static let servedCount = 2

  private var active: [UInt64: CatchUp] = [:]
  /// Those that wait until others have come to their ends.
  private var line = WaitingFiles()
  /// Those that are served, the one whose turn it is at the front.
  private var served: [UInt64] = []
  private var abandoned: [(ident: UInt64, catchUp: CatchUp)] = []

  /// Whether none is for a session.
  var isEmpty: Bool { active.isEmpty }

  func contains(_ ident: UInt64) -> Bool { active[ident] != nil }

  /// Begins one, or goes on with one that was abandoned if the stream is still where that began.
  mutating func begin(_ file: LiveFile, writer: StreamWriter) throws {
    var catchUp = takeAbandoned(file.ident)
    if catchUp?.start != CatchUp.Start(file) {
      try writer.store.dropUnfinished(file.record)
      catchUp = try CatchUp(file, writer: writer)
    }
    active[file.ident] = catchUp
    line.insert(file.ident)
  }

  /// The one whose turn it is.
  mutating func next() -> (ident: UInt64, catchUp: CatchUp)? {
    served.removeAll { active[$0] == nil }
    while served.count < CatchUps.servedCount, let ident = line.next() {
      if active[ident] != nil, !served.contains(ident) { served.append(ident) }
    }
    guard let ident = served.first, let catchUp = active[ident] else { return nil }
    served.removeFirst()
    return (ident, catchUp)
  }

  /// Has one wait for its next turn.
  mutating func wait(_ ident: UInt64) { served.append(ident) }

  /// Lets one go, as it has come to its end or to nothing.
  mutating func remove(_ ident: UInt64) {
    active[ident] = nil
    _ = takeAbandoned(ident)
  }

  /// Has one wait for the client.
  mutating func abandon(_ ident: UInt64) {
    guard let catchUp = active.removeValue(forKey: ident), catchUp.hasBegun else { return }
    abandoned.append((ident, catchUp))
    while abandoned.count > CatchUps.maximumAbandonedCount || abandonedSize > CatchUps.maximumAbandonedSize {
      abandoned.removeFirst()
    }
  }

  private var abandonedSize: Int { abandoned.reduce(0) { $0 + $1.catchUp.size } }

  /// Whether one waits for the client that could go on with the file.
  func hasAbandoned(_ file: LiveFile) -> Bool {
    abandoned.contains { $0.ident == file.ident && $0.catchUp.start == CatchUp.Start(file) }
  }

  private mutating func takeAbandoned(_ ident: UInt64) -> CatchUp? {
    guard let index = abandoned.firstIndex(where: { $0.ident == ident }) else { return nil }
    return abandoned.remove(at: index).catchUp
  }
}
