// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// Whether objects of a store are in one of some subscriptions.
final class SubscriptionCheck {
  /// The versions of the sets that the subscriptions are from.
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

  /// Whether a subscription asks for the object as it is; false if it does not exist.
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
  /// Refuses the open write transaction if the server would take a part of it back because no subscription asks for the
  /// object, neither one in force nor one that waits for its answer. A change that takes an object out of them is
  /// legal.
  ///
  /// - Throws: `CoreError` WRITE_REJECTED, `StorageError`.
  func requireSubscribedObjects() throws {
    guard refusesUnsubscribedObjects, !writeLog.instructions.isEmpty else { return }
    let check = try currentSubscriptionCheck()
    let written = WrittenObjects(writeLog.instructions)
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

  /// Another connection still sees what was before the transaction.
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

/// The objects that a transaction creates or changes, in the order in which it does.
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
  /// In the server's words.
  fileprivate static func outsideSubscriptions(_ object: ObjectReference) -> CoreError {
    CoreError(
      .FLX_STATUS_WRITE_REJECTED,
      "write to \"\(object.key.bareText)\" in table \"\(object.table)\" not allowed; "
        + "object is outside of the current query view"
    )
  }
}
