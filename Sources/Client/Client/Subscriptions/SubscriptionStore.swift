// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The subscription sets of a file, shared by all its handles. Any thread.
///
/// It has a connection of its own, since sets are not part of a handle's snapshot: who asks gets the newest ones.
final class SubscriptionStore: @unchecked Sendable {
  private let lock = RecursiveLock()
  /// Guarded by `lock`, as is what follows.
  private let file: RealmFile
  private var latestClasses: Set<String>?

  init(_ file: RealmFile) { self.file = file }

  /// The newest committed set.
  func latest() throws -> StoredSubscriptionSet { try lock.withLock { try file.latestSubscriptionSet() } }

  /// The set whose data is on the device; that of version 0 before there is one.
  func active() throws -> StoredSubscriptionSet {
    try lock.withLock {
      if let active = try file.activeSubscriptionSet() ?? file.subscriptionSet(version: 0) { return active }
      throw CoreError(
        .FLX_STATUS_CORRUPT,
        "'\(file.database.path)' has no subscription set. Delete the file."
      )
    }
  }

  /// Whether the first opening of the file has come to its end. Until then its first subscriptions may be missing.
  func isSetUp() throws -> Bool { try lock.withLock { try file.isSetUp() } }

  /// Notes that it has.
  func finishSetUp() throws { try lock.withLock { try file.finishSetUp() } }

  /// A set by its version; nil if it was superseded.
  func set(version: Int64) throws -> StoredSubscriptionSet? {
    try lock.withLock { try file.subscriptionSet(version: version) }
  }

  /// Commits a set that `change` makes from the newest one.
  func commit(_ change: (StoredSubscriptionSet) throws -> [StoredSubscription]) throws
    -> StoredSubscriptionSet
  {
    try lock.withLock {
      let set = try file.addSubscriptionSet(try change(try file.latestSubscriptionSet()))
      latestClasses = Set(set.subscriptions.map(\.className))
      return set
    }
  }

  /// Whether the newest set has a subscription to the class.
  func hasSubscription(to className: String) throws -> Bool {
    try lock.withLock {
      let classes = try latestClasses ?? Set(file.latestSubscriptionSet().subscriptions.map(\.className))
      latestClasses = classes
      return classes.contains(className)
    }
  }

  /// The sets that are in force or wait for the server's answer, oldest first.
  func setsInUse() throws -> [StoredSubscriptionSet] {
    try lock.withLock {
      try file.database.read {
        let active = try file.activeSubscriptionSet()
        return try (active.map { [$0] } ?? []) + file.pendingSubscriptionSets(after: active?.version ?? 0)
      }
    }
  }

  // MARK: Rejected writes, which are no part of a handle's snapshot either

  func rejectedWrites() throws -> [RejectedWrite] { try lock.withLock { try file.rejectedWrites() } }

  func discardRejectedWrite(_ id: Int64) throws -> Bool {
    try lock.withLock { try file.discardRejectedWrite(id) }
  }
}
