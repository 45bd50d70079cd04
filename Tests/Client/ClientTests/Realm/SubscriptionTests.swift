// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncCore

@Suite struct SubscriptionTests {
  let account: TestAccount
  let realm: TestRealm

  init() throws {
    account = try TestAccount()
    realm = try account.open()
  }

  private func tasks(_ query: String = "TRUEPREDICATE") throws -> TestResults {
    try realm.objects("Task").filter(query)
  }

  // MARK: Access (features 42…48)

  // Feature 42
  @Test func aLocalRealmHasNoSubscriptions() throws {
    let local = try TestRealm(memory: "local")
    let message = expectFailure(.FLX_STATUS_NOT_SYNCED) { _ = try local.latestSet }
    #expect(message == "This Realm was not configured with flexible sync")
    expectFailure(.FLX_STATUS_NOT_SYNCED) { _ = try local.activeSet }
    expectFailure(.FLX_STATUS_NOT_SYNCED) { _ = try local.beginUpdate() }
  }

  // Feature 43
  @Test func aNewFileHasTheEmptySetOfVersionZero() throws {
    let set = try realm.latestSet
    #expect(set.version == 0)
    #expect(set.count == 0)
    #expect(set.state == .FLX_SUBSCRIPTION_PENDING)
    #expect(set.error == "")
    #expect(set.named("x") == nil)
    #expect(try realm.activeSet.version == 0)
    expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try set.at(0) }
  }

  // Feature 6
  @Test func theDefaultFileIsInTheUsersFolder() throws {
    #expect(flx_realm_path(realm.handle).text.hasSuffix("/tasks/\(account.user.id)/flx_sync_default.realm"))
    #expect(flx_realm_is_synced(realm.handle))
  }

  // Feature 44, 45, 46
  @Test func subscriptionsAreFoundByNameQueryAndPosition() throws {
    let set = try realm.updateSubscriptions {
      try $0.add(tasks("progress > 5"), name: "busy")
      try $0.add(tasks("progress > 5"))
      try $0.add(realm.objects("Person"), name: "")
    }
    #expect(try set.summary == ["busy: Task progress > 5", "-: Task progress > 5", ": Person TRUEPREDICATE"])
    #expect(set.named("busy")?.query == "progress > 5")
    #expect(set.named("")?.className == "Person")
    #expect(set.named("nobody") == nil)
    #expect(try set.matching(tasks("progress > 5"))?.name == "busy")
    #expect(try set.matching(tasks("progress > 6")) == nil)
    let message = expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try set.at(3) }
    #expect(message == "Index 3 is out of bounds (must be less than 3).")
  }

  @Test func sortAndDistinctAreNotPartOfASubscription() throws {
    let set = try realm.updateSubscriptions {
      try $0.add(tasks("progress > 5 SORT(name ASC) DISTINCT(name)"))
      try $0.add(tasks("progress > 5").sort("progress"))
    }
    #expect(try set.summary == ["-: Task progress > 5"])
    #expect(try set.matching(tasks("progress > 5").sort("name")) != nil)
  }

  @Test func aLimitIsRefused() throws {
    let limited = try tasks("progress > 5 SORT(name ASC) LIMIT(3)")
    let former = try realm.updateSubscriptions { try $0.add(tasks("progress > 5"), name: "all") }
    let id = try former.at(0).id
    try realm.updateSubscriptions { update in
      let message = expectFailure(.FLX_STATUS_QUERY_INVALID) { try update.add(limited) }
      #expect(
        message
          == "Invalid query: unsupported query for table \"Task\": LIMIT is not allowed in a subscription, because the "
          + "server sends everything that the condition matches. Subscribe without the limit"
      )
      expectFailure(.FLX_STATUS_QUERY_INVALID) { try update.setQuery(id, limited) }
    }
    #expect(try realm.latestSet.summary == ["all: Task progress > 5"])
    // What is there is found with and without a limit.
    #expect(try former.matching(limited) != nil)
  }

  @Test func whatNoServerAcceptsIsRefusedOnTheDevice() throws {
    let message = expectFailure(.FLX_STATUS_QUERY_INVALID) {
      _ = try realm.updateSubscriptions { try $0.add(tasks("progress + 1 > 5")) }
    }
    #expect(
      message
        == "Invalid query: unsupported query for table \"Task\": arithmetic is not allowed in a subscription"
    )
  }

  @Test(arguments: [
    "name ==[d] 'cafe'", "progress > 5 AND NOT name CONTAINS[cd] 'e' SORT(name ASC)",
  ])
  func aComparisonThatIgnoresAccentsIsRefused(query: String) throws {
    let ignoring = try tasks(query)
    let set = try realm.updateSubscriptions { update in
      let message = expectFailure(.FLX_STATUS_QUERY_INVALID) { try update.add(ignoring) }
      #expect(
        message
          == "Invalid query: unsupported query for table \"Task\": [d], which ignores accents, is not allowed in a "
          + "subscription"
      )
    }
    #expect(try set.count == 0 && set.matching(ignoring) == nil)
  }

  @Test func aComparisonThatIgnoresCaseIsAccepted() throws {
    let set = try realm.updateSubscriptions { try $0.add(tasks("name BEGINSWITH[c] 'a'")) }
    #expect(try set.summary == ["-: Task name BEGINSWITH[c] \"a\""])
  }

  // Feature 48
  @Test func aSetIsASnapshot() throws {
    let before = try realm.latestSet
    try realm.updateSubscriptions { try $0.add(tasks()) }
    #expect(before.count == 0)
    try before.refresh()
    #expect(before.count == 0 && before.version == 0)
    #expect(try realm.latestSet.count == 1)
  }

  // Feature 20
  @Test func subscriptionsPersist() throws {
    let set = try realm.updateSubscriptions { try $0.add(tasks("name == 'x'"), name: "one") }
    realm.release()
    let again = try account.open()
    #expect(try again.latestSet.version == set.version)
    #expect(try again.latestSet.all == set.all)
  }

  // MARK: Adding (features 50…60)

  // Feature 41, 51, 99
  @Test func everyCommitIsTheNextVersion() throws {
    #expect(try realm.updateSubscriptions { _ in }.version == 1)
    #expect(try realm.updateSubscriptions { try $0.add(tasks()) }.version == 2)
    let set = try realm.updateSubscriptions { update in
      for number in 0..<5 { try update.add(tasks("progress == \(number)")) }
    }
    #expect(set.version == 3)
    #expect(set.count == 6)
    #expect(set.state == .FLX_SUBSCRIPTION_PENDING)
  }

  // Feature 56
  @Test func aTakenNameIsRefused() throws {
    try realm.updateSubscriptions { try $0.add(tasks("progress > 5"), name: "busy") }
    let update = try realm.beginUpdate()
    let message = expectFailure(.FLX_STATUS_SUBSCRIPTION_EXISTS) {
      try update.add(tasks("progress > 6"), name: "busy")
    }
    #expect(
      message
        == "A subscription named 'busy' already exists. To change its query, add it with FLX_NAME_CONFLICT_REPLACE, or use "
        + "flx_subscription_update_set_query."
    )
    expectFailure(.FLX_STATUS_SUBSCRIPTION_EXISTS) { try update.add(tasks("progress > 5"), name: "busy") }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      try update.add(tasks(), name: "busy", flx_name_conflict_t(rawValue: 9) ?? .FLX_NAME_CONFLICT_FAIL)
    }
    #expect(update.count == 1)
    update.cancel()
  }

  // Feature 47, 59, 87
  @Test func aReplacedSubscriptionKeepsIdAndCreationTime() throws {
    let before = try realm.updateSubscriptions { try $0.add(tasks("progress > 5"), name: "busy") }.at(0)
    let set = try realm.updateSubscriptions {
      try $0.add(tasks("progress > 6"), name: "busy", .FLX_NAME_CONFLICT_REPLACE)
    }
    let after = try set.at(0)
    #expect(set.count == 1)
    #expect(after.query == "progress > 6")
    #expect(
      after.id == before.id && after.createdAt == before.createdAt && after.updatedAt != before.updatedAt
    )
    // A name is one of the whole set, so another class may take it.
    let other = try realm.updateSubscriptions {
      try $0.add(realm.objects("Person"), name: "busy", .FLX_NAME_CONFLICT_REPLACE)
    }
    #expect(try other.summary == ["busy: Person TRUEPREDICATE"])
  }

  // Feature 57
  @Test func theSameUnnamedQueryIsStoredOnce() throws {
    let set = try realm.updateSubscriptions {
      try $0.add(tasks("progress > 5"))
      try $0.add(tasks("progress  >  5"))
      try $0.add(realm.objects("Person"))
      try $0.add(realm.objects("Task"))
    }
    #expect(set.count == 3)
  }

  // Feature 58
  @Test func oneQueryMayHaveSeveralNames() throws {
    let set = try realm.updateSubscriptions {
      try $0.add(tasks(), name: "a")
      try $0.add(tasks(), name: "b")
      try $0.add(tasks())
      try $0.add(tasks(), name: "")
    }
    #expect(set.count == 4)
    #expect(Set(try set.all.map(\.id.bytes)).count == 4)
  }

  @Test func namesCompareByTheirBytes() throws {
    let set = try realm.updateSubscriptions {
      try $0.add(tasks(), name: "\u{e9}")
      try $0.add(tasks(), name: "e\u{301}")
    }
    #expect(set.count == 2)
  }

  // MARK: Changing (features 84…86)

  // Feature 84, 86, 88
  @Test func aQueryIsChangedById() throws {
    let before = try realm.updateSubscriptions { try $0.add(tasks("progress > 5")) }.at(0)
    let set = try realm.updateSubscriptions { try $0.setQuery(before.id, tasks("progress > 6")) }
    let after = try set.at(0)
    #expect(after.query == "progress > 6" && after.name == nil)
    #expect(after.id == before.id && after.createdAt == before.createdAt)
    let update = try realm.beginUpdate()
    let mismatch = expectFailure(.FLX_STATUS_SUBSCRIPTION_CLASS_MISMATCH) {
      try update.setQuery(before.id, realm.objects("Person"))
    }
    #expect(mismatch == "Updating a subscription query of a different Object Type is not allowed.")
    let missing = expectFailure(.FLX_STATUS_SUBSCRIPTION_NOT_FOUND) {
      try update.setQuery(ObjectIdBytes(flx_object_id_generate()), tasks())
    }
    #expect(missing == "Cannot update a non-existent subscription.")
    update.cancel()
  }

  // MARK: Removing (features 90…96)

  // Feature 90, 91, 92, 95, 96
  @Test func subscriptionsAreRemoved() throws {
    let set = try realm.updateSubscriptions {
      try $0.add(tasks("progress > 1"), name: "one")
      try $0.add(tasks("progress > 2"))
      try $0.add(tasks("progress > 3"))
      try $0.add(realm.objects("Person"))
      try $0.add(realm.objects("Person"), name: "")
    }
    let second = try set.at(1)
    let update = try realm.beginUpdate()
    #expect(update.remove(named: "one"))
    #expect(!update.remove(named: "one"))
    #expect(update.remove(second.id))
    #expect(!update.remove(second.id))
    #expect(try update.remove(tasks("progress > 3")))
    #expect(try !update.remove(tasks("progress > 3")))
    #expect(update.count == 2)
    #expect(update.removeAll(of: "Task") == 0)
    #expect(update.removeAll(unnamedOnly: true) == 1)
    #expect(try update.at(0).name == "")
    #expect(update.removeAll() == 1)
    #expect(try update.commit().count == 0)
  }

  // Feature 94
  @Test func removingAClassKeepsTheOthers() throws {
    try realm.updateSubscriptions {
      try $0.add(tasks("progress > 1"))
      try $0.add(realm.objects("Person"))
      try $0.add(tasks("progress > 2"), name: "two")
    }
    let set = try realm.updateSubscriptions { #expect($0.removeAll(of: "Task") == 2) }
    #expect(try set.summary == ["-: Person TRUEPREDICATE"])
  }

  // MARK: Updates

  @Test func aHandleHasOneUpdateAtATime() throws {
    let update = try realm.beginUpdate()
    let message = expectFailure(.FLX_STATUS_SUBSCRIPTION_UPDATE_OPEN) { _ = try realm.beginUpdate() }
    #expect(
      message == "Cannot initiate a write transaction on subscription set that is already being updated."
    )
    try update.add(tasks())
    update.cancel()
    #expect(try realm.latestSet.version == 0)
    _ = try realm.beginUpdate().commit()
  }

  @Test func updatesOfTwoHandlesAddUp() throws {
    let other = try account.open()
    let mine = try realm.beginUpdate()
    let theirs = try other.beginUpdate()
    try mine.add(tasks("progress > 1"), name: "mine")
    try theirs.add(other.objects("Person"), name: "theirs")
    #expect(try theirs.commit().version == 1)
    let set = try mine.commit()
    #expect(set.version == 2)
    #expect(try set.summary == ["theirs: Person TRUEPREDICATE", "mine: Task progress > 1"])
  }

  @Test func aSetIsNotCommittedInAWriteTransaction() throws {
    let update = try realm.beginUpdate()
    try realm.beginWrite()
    expectFailure(.FLX_STATUS_IN_WRITE_TRANSACTION) { _ = try update.commit() }
    try realm.cancel()
    try realm.updateSubscriptions { try $0.add(tasks()) }
  }

  // MARK: Writing (features 10 and 97)

  // Feature 10, 97
  @Test func writingNeedsASubscriptionToTheClass() throws {
    try realm.beginWrite()
    let message = expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try realm.create("Task", .int(1)) }
    #expect(message == "Cannot write to class Task when no flexible sync subscription has been created.")
    try realm.cancel()
    try realm.updateSubscriptions { try $0.add(tasks()) }
    let task = try realm.write { try realm.create("Task", .int(1)) }
    try realm.beginWrite()
    expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try realm.create("Person", .string("Ann")) }
    try realm.cancel()
    try realm.updateSubscriptions { _ = $0.removeAll() }
    try realm.beginWrite()
    expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try task.set("progress", .int(2)) }
    expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try task.list("tags").append(.string("a")) }
    expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try task.delete() }
    expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try tasks().deleteAll() }
    try realm.cancel()
    #expect(try task.get("progress") == .int(0))
  }

  // Feature 17, 18
  @Test func asymmetricObjectsAreNotKeptAndNeedNoSubscription() throws {
    let key = TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)
    let text = TestProperty(name: "text", type: .FLX_TYPE_STRING)
    var classes = [TestClass].tasks
    classes.append(TestClass(name: "Event", kind: .FLX_CLASS_ASYMMETRIC, properties: [key, text]))
    let realm = try account.open(memory: "asymmetric", classes: classes)
    try realm.write { try realm.create("Event", .int(1), ["text": .string("hello")]) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try realm.find("Event", .int(1)) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try realm.objects("Event") }
    // The same key again: the first one is gone.
    try realm.write { try realm.create("Event", .int(1)) }
  }
}

@Suite struct SubscribingTests {
  let account: TestAccount
  let realm: TestRealm

  init() throws {
    account = try TestAccount()
    realm = try account.open()
  }

  private func results(_ results: TestResults) -> Results { Handle.object(results.handle) }

  // Feature 23, 25
  @Test func subscribingAddsTheQueryOnce() throws {
    let some = try realm.objects("Task").filter("progress > 5")
    let (set, isCommitted) = try results(some).subscribe(name: nil)
    #expect(isCommitted && set.version == 1)
    let (again, isCommittedAgain) = try results(some).subscribe(name: nil)
    #expect(!isCommittedAgain && again.version == 1)
    _ = try results(some).subscribe(name: "first")
    _ = try results(some).subscribe(name: "second")
    #expect(try realm.latestSet.all.map(\.name) == [nil, "first", "second"])
  }

  // Feature 24
  @Test func subscribingUnderATakenNameReplacesTheQuery() throws {
    _ = try results(realm.objects("Task").filter("progress > 5")).subscribe(name: "x")
    let (_, isCommitted) = try results(realm.objects("Person")).subscribe(name: "x")
    #expect(isCommitted)
    #expect(try realm.latestSet.summary == ["x: Person TRUEPREDICATE"])
  }

  // Feature 31
  @Test func unsubscribingRemovesOwnOrUnnamedSubscriptions() throws {
    let first = try realm.objects("Task").filter("progress > 5")
    let second = try realm.objects("Task").filter("progress > 5")
    _ = try results(first).subscribe(name: "a")
    _ = try results(second).subscribe(name: nil)
    let stranger = try realm.objects("Task").filter("progress > 5")
    try results(stranger).unsubscribe()
    #expect(try realm.latestSet.all.map(\.name) == ["a"])
    try results(stranger).unsubscribe()
    #expect(try realm.latestSet.all.map(\.name) == ["a"])
    #expect(try realm.latestSet.version == 3)
    try results(first).unsubscribe()
    #expect(try realm.latestSet.count == 0)
  }
}

@Suite struct InitialSubscriptionTests {
  let account: TestAccount

  init() throws { account = try TestAccount() }

  private final class Runs { var count = 0 }

  private func open(_ runs: Runs, reruns: Bool = false, path: String = "") throws -> TestRealm {
    try account.open(path: path) { config in
      config.initial_subscriptions = { userdata, realm, update, _ in
        Unmanaged<Runs>.fromOpaque(userdata!).takeUnretainedValue().count += 1
        var info = flx_class_info_t()
        _ = "Task".withC { flx_realm_find_class(realm, $0, &info, nil) }
        var results: OpaquePointer?
        _ = flx_results_create(realm, info.key, &results, nil)
        #expect(
          flx_subscription_update_add(update, results!, nil, .FLX_NAME_CONFLICT_FAIL, nil) == .FLX_STATUS_OK
        )
        flx_results_release(results)
        return .FLX_STATUS_OK
      }
      config.initial_subscriptions_userdata = Unmanaged.passRetained(runs).toOpaque()
      config.free_initial_subscriptions_userdata = { Unmanaged<Runs>.fromOpaque($0!).release() }
      config.rerun_initial_subscriptions = reruns
    }
  }

  // Feature 67, 68
  @Test func theyRunWhenTheFileIsNew() throws {
    let runs = Runs()
    let realm = try open(runs)
    #expect(runs.count == 1)
    #expect(try realm.latestSet.version == 1)
    #expect(try realm.latestSet.summary == ["-: Task TRUEPREDICATE"])
    realm.release()
    let again = try open(runs)
    #expect(runs.count == 1)
    #expect(try again.latestSet.version == 1)
  }

  // Feature 68
  @Test func anExistingFileIsNotPopulated() throws {
    let runs = Runs()
    try account.open().release()
    #expect(try open(runs).latestSet.count == 0)
    #expect(runs.count == 0)
  }

  // Feature 69
  @Test func rerunsHappenOncePerProcess() throws {
    // The file of another process is one that this process has not opened yet.
    let runs = Runs()
    let path = account.folder.file("rerun.realm")
    try open(runs, path: path).release()
    RealmRegistry.openedPaths.withLock { _ = $0.remove(.file(path)) }
    let second = try open(runs, reruns: true, path: path)
    let third = try open(runs, reruns: true, path: path)
    #expect(runs.count == 2)
    #expect(try third.latestSet.version == 2)
    #expect(try second.latestSet.count == 1)
  }

  /// Opens a realm whose callback does something and returns a status.
  private func open(_ callback: @escaping flx_initial_subscriptions_t) throws -> TestRealm {
    try account.open { $0.initial_subscriptions = callback }
  }

  @Test func aStatusThatDoesNotExistIsReportedWithItsNumber() throws {
    let message = expectFailure(.FLX_STATUS_INTERNAL) {
      _ = try open { _, _, _, _ in unsafeBitCast(4711 as Int32, to: flx_status_t.self) }
    }
    #expect(message == "The callback flx_initial_subscriptions_t returned 4711, which is no flx_status_t.")
  }

  @Test func aStatusWithoutAMessageIsReportedWithItsName() throws {
    let message = expectFailure(.FLX_STATUS_CANCELED) { _ = try open { _, _, _, _ in .FLX_STATUS_CANCELED } }
    #expect(message == "The callback flx_initial_subscriptions_t returned CANCELED without a message.")
  }

  @Test func theRealmCannotBeClosedOrWrittenWhileTheyAreAdded() throws {
    let realm = try open { _, realm, _, error in
      let message = expectFailure(.FLX_STATUS_UNSUPPORTED) { try attempt { flx_realm_close(realm, $0) } }
      #expect(message.hasPrefix("A realm whose initial subscriptions are being added cannot be closed."))
      expectFailure(.FLX_STATUS_UNSUPPORTED) { try attempt { flx_realm_begin_write(realm, $0) } }
      return .FLX_STATUS_OK
    }
    try realm.write {}
    try attempt { flx_realm_close(realm.handle, $0) }
  }

  @Test func aFailureLeavesNoFile() throws {
    let path = account.folder.file("new/failing.realm")
    try FileSystem.makeFolder(account.folder.file("new"))
    expectFailure(.FLX_STATUS_CANCELED) {
      _ = try account.open(path: path) { $0.initial_subscriptions = { _, _, _, _ in .FLX_STATUS_CANCELED } }
    }
    #expect(try FileSystem.names(in: account.folder.file("new")).isEmpty)
    let runs = Runs()
    #expect(try open(runs, path: path).latestSet.count == 1 && runs.count == 1)
  }

  @Test func theUserdataIsFreedOnceTheRealmIsOpen() throws {
    weak var freed: Runs?
    do {
      let runs = Runs()
      freed = runs
      _ = try open(runs)
    }
    #expect(freed == nil)
  }
}

@Suite struct SyncedFileTests {
  // Feature 146
  @Test func aLocalFileCannotBeSyncedAndTheOtherWayRound() throws {
    let account = try TestAccount()
    let path = account.folder.file("local.realm")
    try TestRealm(path: path).release()
    expectFailure(.FLX_STATUS_INCOMPATIBLE_FILE) { _ = try account.open(path: path) }
    let synced = account.folder.file("synced.realm")
    try account.open(path: synced).release()
    expectFailure(.FLX_STATUS_INCOMPATIBLE_FILE) { _ = try TestRealm(path: synced) }
  }

  @Test func syncedClassesNeedAnIdNamedUnderscoreId() throws {
    let account = try TestAccount()
    let key = TestProperty(name: "id", type: .FLX_TYPE_INT, isPrimaryKey: true)
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      _ = try account.open(classes: [TestClass(name: "A", properties: [key])])
    }
  }

  @Test func aUserWhoIsLoggedOutOpensNothing() throws {
    let account = try TestAccount()
    try account.user.logOut()
    expectFailure(.FLX_STATUS_USER_LOGGED_OUT) { _ = try account.open() }
  }

  // Feature 100
  @Test func schemaAndWritesBecomeChangesets() throws {
    let account = try TestAccount()
    let realm = try account.open()
    try realm.updateSubscriptions {
      try $0.add(realm.objects("Task"))
      try $0.add(realm.objects("Person"))
    }
    try realm.write {
      let task = try realm.create("Task", .int(1), ["name": .string("x")])
      try task.add(3, to: "progress")
      try task.list("tags").append(.string("a"))
    }
    try realm.write {}
    try realm.write { try #require(try realm.find("Task", .int(1))).delete() }
    let handle: Realm = Handle.object(realm.handle)
    let changesets = try handle.file.uploads(after: 0, byteLimit: .max).entries
    let instructions = try changesets.map { try ChangesetCodec.decode($0.changeset).instructions }
    #expect(instructions.count == 3)
    let classes = [TestClass].tasks
    #expect(instructions[0].count == 2 + classes[0].properties.count - 1 + classes[1].properties.count - 1)
    let task = ObjectReference(table: "Task", key: .int(1))
    #expect(
      instructions[1] == [
        .createObject(task),
        .update(PropertyPath(object: task, field: "name"), .value(.string("x")), .isDefault(false)),
        .addInteger(PropertyPath(object: task, field: "progress"), delta: 3),
        .arrayInsert(
          PropertyPath(object: task, field: "tags", path: [.index(0)]),
          .value(.string("a")),
          priorSize: 0
        ),
      ]
    )
    #expect(instructions[2] == [.eraseObject(task)])
  }
}
