// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

/// The work on streams that is spread over turns, by file ident.
///
/// Work whose session has ended waits for the client to return, so that work is eventually finished even if the
/// client's connection often breaks. It is restarted if there is no room for it or its start has changed; a window
/// load (`WindowLoad`) is always restarted.
struct StreamWorkQueue {
  private static let maximumAbandonedCount = 64
  /// The maximum number of objects that abandoned work may track.
  private static let maximumAbandonedSize = 200_000
  /// The maximum number of snapshots of the store held by abandoned work. Once active work holds as many, abandoned
  /// work with a snapshot is restarted rather than resumed.
  private static let maximumSnapshotCount = 8
  /// The number of files whose work is served concurrently. Each has to process what others write in the meantime, so
  /// serving many at once would not be faster.
  private static let servedCount = 2

  private var active: [UInt64: any StreamWork] = [:]
  /// Files whose work waits until other work has finished.
  private var line = WaitingFiles()
  /// Files whose work is being served, in the order of their turns.
  private var served: [UInt64] = []
  private var abandoned: [(ident: UInt64, work: any StreamWork)] = []
  /// Files with leftover entries beyond the end of their streams, placed by work that has been forgotten.
  private var littered: Set<UInt64> = []

  /// Whether there is no work for any session.
  var isEmpty: Bool { active.isEmpty }

  func contains(_ ident: UInt64) -> Bool { active[ident] != nil }

  /// The files whose views are being changed. Each change holds a snapshot once its turn has come.
  var viewChanges: [UInt64] { active.compactMap { $0.value.start.change == nil ? nil : $0.key } }

  /// Begins work, or resumes abandoned work that began with the same state. Must be called inside a write.
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

  /// Returns the work whose turn it is, among those that may continue.
  ///
  /// - Parameter isReady: whether the work on a file may continue.
  mutating func next(where isReady: (UInt64) -> Bool) -> (ident: UInt64, work: any StreamWork)? {
    served.removeAll { active[$0] == nil }
    while served.count < StreamWorkQueue.servedCount, let ident = line.next() {
      if active[ident] != nil, !served.contains(ident) { served.append(ident) }
    }
    guard let index = served.firstIndex(where: isReady), let work = active[served[index]] else { return nil }
    return (served.remove(at: index), work)
  }

  /// Queues work for its next turn.
  mutating func wait(_ ident: UInt64) { served.append(ident) }

  /// Removes work that is finished or cancelled.
  mutating func remove(_ ident: UInt64) {
    active[ident] = nil
    littered.remove(ident)
    _ = takeAbandoned(ident)
  }

  /// Sets work aside until the client returns.
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

  /// Returns the state that the active work on a file began with.
  func activeStart(of ident: UInt64) -> StreamWorkStart? { active[ident]?.start }

  /// Whether entries beyond the end of a file's stream were placed, or are being placed, by work other than the one
  /// that begins with `start`.
  func isOther(than start: StreamWorkStart, _ ident: UInt64) -> Bool {
    let work = active[ident] ?? abandoned.first { $0.ident == ident }?.work
    return littered.contains(ident) || work.map { $0.start != start } ?? false
  }

  /// Whether the abandoned work on a file can be resumed from the current state of its stream.
  func canResume(_ file: LiveFile) -> Bool {
    abandoned.contains {
      $0.ident == file.ident && $0.work.start == StreamWorkStart(file, change: $0.work.start.change)
    }
  }

  /// Whether the abandoned work on a file, if any, is the one that begins with `start`.
  func hasAbandoned(_ start: StreamWorkStart, _ ident: UInt64) -> Bool {
    abandoned.contains { $0.ident == ident && $0.work.start == start }
  }

  /// Whether the active work on a file reads from a snapshot of the store.
  func holdsSnapshot(_ ident: UInt64) -> Bool { active[ident]?.holdsSnapshot ?? false }

  /// Forgets abandoned work that holds a snapshot.
  mutating func releaseAbandonedSnapshots() {
    while let index = abandoned.firstIndex(where: \.work.holdsSnapshot) { forget(at: index) }
  }

  private mutating func takeAbandoned(_ ident: UInt64) -> (any StreamWork)? {
    guard let index = abandoned.firstIndex(where: { $0.ident == ident }) else { return nil }
    return abandoned.remove(at: index).work
  }
}
