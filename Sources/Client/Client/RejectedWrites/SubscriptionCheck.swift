// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// A check of objects in a store against a number of subscriptions.
final class SubscriptionCheck {
  /// The versions of the sets that contain the subscriptions.
  let setVersions: [Int64]
  private let store: ObjectStore
  private let subscriptions: [String: Set<String>]
  private var queries: [String: [RowQuery]] = [:]

  init(_ sets: [StoredSubscriptionSet], _ store: ObjectStore) {
    self.store = store
    setVersions = sets.map(\.version)
    subscriptions = Dictionary(grouping: sets.flatMap(\.subscriptions), by: \.className)
      .mapValues { Set($0.map(\.query)) }
  }

  /// Whether a subscription covers the object in its current state; false if the object does not exist.
  func contains(_ object: ObjectReference) throws -> Bool {
    guard let row = try store.row(of: object) else { return false }
    for query in try queries(on: object.table) where try query.isMet(by: row) { return true }
    return false
  }

  private func queries(on className: String) throws -> [RowQuery] {
    if let known = queries[className] { return known }
    let schema = try store.schema
    let made = try subscriptions[className, default: []].sorted().map { query in
      try RoomyStack.run { try store.rowQuery(Query.parse(query).bind(to: schema, className: className)) }
    }
    queries[className] = made
    return made
  }
}

extension Realm {
  /// Refuses the open write transaction if the server would revert part of it because no subscription covers an
  /// object: neither one in force nor one that awaits the server's answer. A change that moves an object out of all
  /// subscriptions is allowed.
  ///
  /// - Throws: `CoreError` WRITE_REJECTED, `StorageError`.
  func requireSubscribedObjects() throws {
    guard refusesUnsubscribedObjects, let capture = writeLog.capture, !capture.isEmpty else { return }
    let check = try currentSubscriptionCheck()
    let written = WrittenObjects(try ChangesetCodec.decode(capture.bytes).instructions)
    let suspicious = try written.objects.filter { object in
      guard let table = try store.table(named: object.table), table.kind == .topLevel else { return false }
      return try store.row(of: object) != nil && !check.contains(object)
    }
    if let new = suspicious.first(where: written.created.contains) {
      throw CoreError.outsideSubscriptions(new)
    }
    guard !suspicious.isEmpty else { return }
    try requireSubscribedBefore(suspicious, check)
  }

  /// Checks the objects in their state before the transaction, which a second connection still sees.
  private func requireSubscribedBefore(_ objects: [ObjectReference], _ check: SubscriptionCheck) throws {
    let former = try RealmFile.open(store.database.configuration, owner: file.owner)
    let formerCheck = SubscriptionCheck(try subscriptionSetsInUse(), former.objects)
    try former.database.read {
      for object in objects where try !formerCheck.contains(object) {
        throw CoreError.outsideSubscriptions(object)
      }
    }
  }

  private func subscriptionSetsInUse() throws -> [StoredSubscriptionSet] {
    try requireSubscriptions().setsInUse()
  }

  private func currentSubscriptionCheck() throws -> SubscriptionCheck {
    let sets = try subscriptionSetsInUse()
    if let subscriptionCheck, subscriptionCheck.setVersions == sets.map(\.version) {
      return subscriptionCheck
    }
    let check = SubscriptionCheck(sets, store)
    subscriptionCheck = check
    return check
  }
}

/// The objects that a transaction creates or changes, in the order of its instructions.
private struct WrittenObjects {
  private(set) var objects: [ObjectReference] = []
  private(set) var created: Set<ObjectReference> = []

  init(_ instructions: [Instruction]) {
    var known: Set<ObjectReference> = []
    for instruction in instructions {
      guard let object = instruction.object else { continue }
      if known.insert(object).inserted { objects.append(object) }
      if case .createObject = instruction { created.insert(object) }
    }
  }
}

extension CoreError {
  /// The error, in the server's words.
  fileprivate static func outsideSubscriptions(_ object: ObjectReference) -> CoreError {
    CoreError(
      .writeRejected,
      "write to \"\(object.key.bareText)\" in table \"\(object.table)\" not allowed; "
        + "object is outside of the current query view"
    )
  }
}
