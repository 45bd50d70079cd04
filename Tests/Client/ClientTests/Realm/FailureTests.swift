// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncStore
import Testing

@testable import FlexSyncCore

/// What goes wrong in the middle leaves nothing half done.
@Suite struct FailureTests {
  let account: TestAccount

  init() throws { account = try TestAccount() }

  private func openWithInitialSubscription(path: String) throws -> TestRealm {
    try account.open(path: path) { config in
      config.initial_subscriptions = { _, realm, update in
        var info = flx_class_info_t()
        _ = "Task".withC { flx_realm_find_class(realm, $0, &info, nil) }
        var results: OpaquePointer?
        _ = flx_results_create(realm, info.key, &results, nil)
        guard let results else { return }
        _ = flx_subscription_update_add(update, results, nil, .FLX_NAME_CONFLICT_FAIL, nil)
        flx_results_release(results)
      }
    }
  }

  @Test func initialSubscriptionsAreMadeUpForIfTheFirstOpeningWasInterrupted() throws {
    let path = account.folder.file("interrupted.realm")
    // The process ends after the file was made.
    let configuration = DatabaseConfiguration(location: .file(path), application: .realm)
    _ = try RealmFile.open(configuration, owner: .synced(appID: "tasks", userID: account.user.id))
    let realm = try openWithInitialSubscription(path: path)
    #expect(try realm.latestSet.summary == ["-: Task TRUEPREDICATE"])
  }

  @Test func theUpdateOfInitialSubscriptionsCannotBeEnded() throws {
    let realm = try account.open { config in
      config.initial_subscriptions = { _, _, update in
        flx_subscription_update_cancel(update)
        #expect(flx_subscription_update_commit(update, nil, nil) == .FLX_STATUS_INVALID_ARGUMENT)
      }
    }
    #expect(try realm.latestSet.version == 1)
    try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }
  }

  @Test func aFileThatAnotherProcessSyncsIsNotDeleted() throws {
    let path = account.folder.file("shared.realm")
    try account.open(path: path).release()
    let lock = try SyncAgentLock(path: path)
    let delete = {
      try path.withC { path in
        var config = flx_realm_config_t()
        config.struct_size = MemoryLayout<flx_realm_config_t>.size
        config.path = path
        var isDeleted = false
        try attempt { flx_realm_delete_files(&config, &isDeleted, $0) }
        #expect(isDeleted)
      }
    }
    expectFailure(.FLX_STATUS_MULTIPLE_SYNC_AGENTS) { try delete() }
    withExtendedLifetime(lock) {}
    // `lock` is not used any more.
  }

  @Test func classesOutliveACommitThatFails() throws {
    let small = [TestClass(name: "Task", properties: [[TestClass].tasks[0].properties[0]])]
    let realm = try account.open(classes: small)
    try realm.updateSubscriptions { update in try update.add(realm.objects("Task")) }
    try realm.beginWrite()
    try [TestClass].tasks.withC { classes in
      let base = try #require(classes.baseAddress)
      try attempt { flx_realm_add_classes(realm.handle, base, classes.count, $0) }
    }
    // More than one changeset can hold.
    let text = Cell.string(String(repeating: "x", count: 6 << 20))
    for number in 0..<3 { try realm.create("Task", .int(Int64(number)), ["name": text]) }
    expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) { try realm.commit() }
    #expect(try realm.objects("Task").count == 0)
    #expect(try realm.objects("Person").count == 0)
    try realm.write { try realm.create("Task", .int(1), ["name": .string("small")]) }
    #expect(try realm.objects("Task").count == 1)
  }
}
