// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncStore
import FlexSyncWire
import Foundation

/// Two clients that were offline: each made transactions without seeing the other's. One of them integrates the
/// other's transactions over its own, compared with the same transactions when there is nothing to merge.
func mergeBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let cases = [
    (1000, "20 shared objects", MergeWorkload(objectCount: 20, isShared: true)),
    (1000, "20 objects each", MergeWorkload(objectCount: 20, isShared: false)),
    (4000, "1 shared object", MergeWorkload(objectCount: 1, isShared: true)),
  ]
  return try cases.map { fullCount, name, workload in
    let count = options.isQuick ? fullCount / 5 : fullCount
    let run = try MergeRun(count: count, workload, folder: folder.appending(path: name))
    let samples = try measure(
      repetitions: options.repetitions,
      [
        Contender { try run.integrate(isConcurrent: true, repetition: $0) },
        Contender { try run.integrate(isConcurrent: false, repetition: $0) },
      ]
    )
    return Figure(
      quantity: "merge of 2 clients with \(count) transactions each, \(name)",
      unit: .rate(of: "transactions"),
      flexSync: samples[0].perItem(count * 2),
      comparison: "the same, one after the other",
      raw: samples[1].perItem(count * 2)
    )
  }
}

/// The histories of the two clients, and realms that integrate them.
private struct MergeRun {
  private static let entriesPerMessage = 250

  private let workload: MergeWorkload
  private let local: [Changeset]
  private let incoming: [Changeset]
  /// The changes of the other client as it would have made them after seeing the local ones.
  private let later: [Changeset]
  private let folder: URL

  init(count: Int, _ workload: MergeWorkload, folder: URL) throws {
    self.workload = workload
    local = workload.history(file: 2, count: count)
    incoming = workload.history(file: 3, count: count)
    var (changedLocal, changedIncoming) = (local, incoming)
    try Merge.transform(local: &changedLocal, incoming: &changedIncoming)
    later = changedIncoming
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Makes the local transactions and integrates the other client's. Returns the time in seconds.
  func integrate(isConcurrent: Bool, repetition: Int) throws -> Double {
    let path = folder.appending(path: "\(isConcurrent)-\(repetition).flexsync").path
    let realm = try RealmFile.open(
      DatabaseConfiguration(location: .file(path), application: .realm),
      owner: .synced(appID: "app", userID: "user")
    )
    try realm.setFileIdent(SaltedFileIdent(ident: 2, salt: 1))
    try realm.database.write { try realm.objects.apply(workload.base) }
    let base = try realm.clientVersion()
    let duration = try seconds {
      for changeset in local { try write(changeset, to: realm) }
      let known = isConcurrent ? base : try realm.clientVersion()
      try integrate(isConcurrent ? incoming : later, base: known, in: realm)
    }
    try require("elements of the lists", try workload.elementCount(realm.objects), 2 * local.count)
    return duration
  }

  private func write(_ changeset: Changeset, to realm: RealmFile) throws {
    try realm.database.write {
      try realm.objects.apply(changeset.instructions)
      _ = try realm.recordLocalChanges(changeset.instructions, timestamp: changeset.stamp.timestamp)
    }
  }

  private func integrate(_ changesets: [Changeset], base: UInt64, in realm: RealmFile) throws {
    var progress = SyncProgress.start
    for start in stride(from: 0, to: changesets.count, by: Self.entriesPerMessage) {
      let entries = changesets[start...].prefix(Self.entriesPerMessage).map { changeset in
        progress.download.serverVersion += 1
        return DownloadEntry(
          serverVersion: progress.download.serverVersion,
          clientVersion: base,
          timestamp: changeset.stamp.timestamp,
          originFileIdent: changeset.stamp.fileIdent,
          changeset: ChangesetCodec.encode(changeset.instructions)
        )
      }
      progress.download.clientVersion = base
      try realm.integrate(entries, progress: progress)
    }
  }
}
