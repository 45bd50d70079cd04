// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

/// The work on streams that is divided among turns, by file ident.
///
/// Work whose session has ended waits for the client to come back, so that a client whose connection breaks often gets to
/// its end, too.
struct StreamWorkQueue {
  private static let maximumAbandonedCount = 64
  /// Of how many objects the abandoned ones may keep what becomes of them.
  private static let maximumAbandonedSize = 200_000
  /// How many of those that wait, for their turn or for the client, may keep a snapshot of the store.
  private static let maximumSnapshotCount = 8
  /// How many are served at a time. Each has to go through what others write meanwhile, so that many at once would get no
  /// further.
  private static let servedCount = 2

  private var active: [UInt64: any StreamWork] = [:]
  /// Those that wait until others have come to their ends.
  private var line = WaitingFiles()
  /// Those that are served, the one whose turn it is at the front.
  private var served: [UInt64] = []
  private var abandoned: [(ident: UInt64, work: any StreamWork)] = []
  /// Files of which something lies behind the end of their streams that was placed by work that is forgotten.
  private var littered: Set<UInt64> = []

  /// Whether none is for a session.
  var isEmpty: Bool { active.isEmpty }

  func contains(_ ident: UInt64) -> Bool { active[ident] != nil }

  /// Begins work, or resumes what was abandoned if that is the same. Inside a write.
  mutating func begin(_ work: any StreamWork, on file: LiveFile, in store: ServerStore) throws {
    var begun = takeAbandoned(file.ident)
    let hasRoom = active.values.count(where: \.holdsSnapshot) < StreamWorkQueue.maximumSnapshotCount
    if begun?.start != work.start || begun?.holdsSnapshot == true && !hasRoom {
      try store.dropUnfinished(file.record)
      littered.remove(file.ident)
      begun = work
    }
    active[file.ident] = begun
    line.insert(file.ident)
  }

  /// The one whose turn it is.
  mutating func next() -> (ident: UInt64, work: any StreamWork)? {
    served.removeAll { active[$0] == nil }
    while served.count < StreamWorkQueue.servedCount, let ident = line.next() {
      if active[ident] != nil, !served.contains(ident) { served.append(ident) }
    }
    guard let ident = served.first, let work = active[ident] else { return nil }
    served.removeFirst()
    return (ident, work)
  }

  /// Has one wait for its next turn.
  mutating func wait(_ ident: UInt64) { served.append(ident) }

  /// Removes work that is finished or cancelled.
  mutating func remove(_ ident: UInt64) {
    active[ident] = nil
    littered.remove(ident)
    _ = takeAbandoned(ident)
  }

  /// Has one wait for the client.
  mutating func abandon(_ ident: UInt64) {
    guard let work = active.removeValue(forKey: ident), work.hasBegun else { return }
    abandoned.append((ident, work))
    while abandoned.count > StreamWorkQueue.maximumAbandonedCount
      || abandonedSize > StreamWorkQueue.maximumAbandonedSize
    {
      forget(at: 0)
    }
    while abandoned.count(where: \.work.holdsSnapshot) > StreamWorkQueue.maximumSnapshotCount,
      let index = abandoned.firstIndex(where: \.work.holdsSnapshot)
    {
      forget(at: index)
    }
  }

  private mutating func forget(at index: Int) { littered.insert(abandoned.remove(at: index).ident) }

  private var abandonedSize: Int { abandoned.reduce(0) { $0 + $1.work.size } }

  /// Where the active work on a file began.
  func activeStart(of ident: UInt64) -> StreamWorkStart? { active[ident]?.start }

  /// Whether something was placed behind the end of a file's stream, or is being placed, by other work than what begins
  /// there.
  func isOther(than start: StreamWorkStart, _ ident: UInt64) -> Bool {
    let work = active[ident] ?? abandoned.first { $0.ident == ident }?.work
    return littered.contains(ident) || work.map { $0.start != start } ?? false
  }

  /// Whether the abandoned work on a file can be resumed from where its stream is.
  func canResume(_ file: LiveFile) -> Bool {
    abandoned.contains {
      $0.ident == file.ident && $0.work.start == StreamWorkStart(file, change: $0.work.start.change)
    }
  }

  /// Whether work was abandoned that is the same as what begins there.
  func hasAbandoned(_ start: StreamWorkStart, _ ident: UInt64) -> Bool {
    abandoned.contains { $0.ident == ident && $0.work.start == start }
  }

  /// Whether the work on a file reads from a snapshot of the store.
  func holdsSnapshot(_ ident: UInt64) -> Bool { active[ident]?.holdsSnapshot ?? false }

  /// Forgets what was abandoned and keeps a snapshot.
  mutating func releaseAbandonedSnapshots() {
    while let index = abandoned.firstIndex(where: \.work.holdsSnapshot) { forget(at: index) }
  }

  private mutating func takeAbandoned(_ ident: UInt64) -> (any StreamWork)? {
    guard let index = abandoned.firstIndex(where: { $0.ident == ident }) else { return nil }
    return abandoned.remove(at: index).work
  }
}
