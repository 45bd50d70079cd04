// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The subscription sets of a file, shared by all its handles. Any thread.
///
/// It has a separate connection, because sets are not part of a handle's snapshot: reads always return the newest
/// ones.
final class SubscriptionStore: @unchecked Sendable {
  private let lock = RecursiveLock()
  /// Guarded by `lock`, like the property below.
  private let file: RealmFile
  private var latestClasses: Set<String>?
  /// The generation of processes in which the classes were read.
  private var generation: UInt64 = 0
  private weak let processes: ProcessTable?

  /// - Parameter processes: those that have the file open; nil if only this one can.
  init(_ file: RealmFile, _ processes: ProcessTable?) {
    self.file = file
    self.processes = processes
  }

  /// Returns the newest committed set.
  func latest() throws -> StoredSubscriptionSet { try lock.withLock { try file.latestSubscriptionSet() } }

  /// Returns the set whose data are on the device; version 0 if there is none yet.
  func active() throws -> StoredSubscriptionSet {
    try lock.withLock {
      if let active = try file.activeSubscriptionSet() ?? file.subscriptionSet(version: 0) { return active }
      throw CoreError(
        .corrupt,
        "'\(file.database.path)' has no subscription set. Delete the file."
      )
    }
  }

  /// Whether the first opening of the file was completed. Until then its first subscriptions may be missing.
  func isSetUp() throws -> Bool { try lock.withLock { try file.isSetUp() } }

  /// Records that the first opening was completed.
  func finishSetUp() throws { try lock.withLock { try file.finishSetUp() } }

  /// Returns the set with a version; nil if it was superseded.
  func set(version: Int64) throws -> StoredSubscriptionSet? {
    try lock.withLock { try file.subscriptionSet(version: version) }
  }

  /// Commits a set that `change` derives from the newest one.
  func commit(_ change: (StoredSubscriptionSet) throws -> [StoredSubscription]) throws
    -> StoredSubscriptionSet
  {
    try lock.withLock {
      // One transaction, because another process may commit a set as well.
      let set = try file.database.write {
        try file.addSubscriptionSet(try change(try file.latestSubscriptionSet()))
      }
      latestClasses = Set(set.subscriptions.map(\.className))
      return set
    }
  }

  /// Whether the newest set has a subscription to the class.
  func hasSubscription(to className: String) throws -> Bool {
    try lock.withLock {
      forgetClassesIfShared()
      let classes = try latestClasses ?? Set(file.latestSubscriptionSet().subscriptions.map(\.className))
      latestClasses = classes
      return classes.contains(className)
    }
  }

  /// Forgets the classes if another process may have committed a set since they were read.
  private func forgetClassesIfShared() {
    guard let processes, processes.hasOthers || processes.generation != generation else { return }
    generation = processes.generation
    latestClasses = nil
  }

  /// Returns the sets that are in force or await the server's answer, oldest first.
  func setsInUse() throws -> [StoredSubscriptionSet] {
    try lock.withLock {
      try file.database.read {
        let active = try file.activeSubscriptionSet()
        return try (active.map { [$0] } ?? []) + file.pendingSubscriptionSets(after: active?.version ?? 0)
      }
    }
  }

  // MARK: Rejected writes, which are not part of a handle's snapshot either

  func rejectedWrites() throws -> [RejectedWrite] { try lock.withLock { try file.rejectedWrites() } }

  func discardRejectedWrite(_ id: Int64) throws -> Bool {
    try lock.withLock { try file.discardRejectedWrite(id) }
  }
}
