// SPDX-License-Identifier: Apache-2.0

/// A walk through the history after a version, piece by piece.
struct HistoryPass {
  private(set) var version: UInt64

  init(after version: UInt64) { self.version = version }

  /// Returns the next versions; nil if there are none.
  mutating func next(of history: CommittedHistory, _ meter: TurnMeter) throws -> [CommittedEntry]? {
    let piece = try history.piece(after: version, isSmall: true)
    guard let last = piece.last else { return nil }
    version = last.entry.version
    meter.count(piece)
    return piece
  }

  /// Passes the next pieces to `body` until the turn's budget is exhausted.
  ///
  /// - Returns: Whether the end was reached.
  mutating func goOn(
    _ history: CommittedHistory,
    _ meter: TurnMeter,
    _ body: ([CommittedEntry]) throws -> Void
  ) throws -> Bool {
    while let piece = try next(of: history, meter) {
      try body(piece)
      if meter.isExhausted { break }
    }
    return version >= history.version
  }
}

extension TurnMeter {
  func count(_ piece: [CommittedEntry]) {
    count(steps: piece.reduce(0) { $0 + 1 + $1.entry.images.objects.count })
  }
}
