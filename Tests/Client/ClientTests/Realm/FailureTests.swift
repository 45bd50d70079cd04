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
      config.initial_subscriptions = { _, realm, update, error in
        var info = flx_class_info_t()
        _ = "Task".withC { flx_realm_find_class(realm, $0, &info, nil) }
        var results: OpaquePointer?
        let status = flx_results_create(realm, info.key, &results, error)
        guard let results else { return status }
        defer { flx_results_release(results) }
        return flx_subscription_update_add(update, results, nil, .FLX_NAME_CONFLICT_FAIL, error)
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
      config.initial_subscriptions = { _, _, update, _ in
        flx_subscription_update_cancel(update)
        #expect(flx_subscription_update_commit(update, nil, nil) == .FLX_STATUS_INVALID_ARGUMENT)
        return .FLX_STATUS_OK
      }
    }
    #expect(try realm.latestSet.version == 1)
    try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }
  }

  @Test func openingFailsIfTheInitialSubscriptionsCannotBeMadeAndTriesAgainTheNextTime() throws {
    let path = account.folder.file("failing.realm")
    let message = expectFailure(.FLX_STATUS_CANCELED) {
      _ = try account.open(path: path) { config in
        config.initial_subscriptions = { _, _, _, error in
          withUnsafeMutableBytes(of: &error.pointee.message) { $0.copyBytes(from: "not now\0".utf8) }
          return .FLX_STATUS_CANCELED
        }
      }
    }
    #expect(message == "not now")
    let realm = try openWithInitialSubscription(path: path)
    #expect(try realm.latestSet.summary == ["-: Task TRUEPREDICATE"])
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
    let message = expectFailure(.FLX_STATUS_MULTIPLE_SYNC_AGENTS) { try delete() }
    #expect(
      message
        == "Another process syncs '\(path)', and the file has to stay until it stops. Close the realm there, or end "
        + "that process, and try again."
    )
    #expect(
      String(cString: flx_status_meaning(.FLX_STATUS_MULTIPLE_SYNC_AGENTS))
        == "another process syncs the file; close the realm there and try again"
    )
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
