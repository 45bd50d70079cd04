// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Opening with a download, and subscribing from results with a wait.
@Suite struct DownloadingTests {
  let server: SyncServer

  init() throws {
    server = try SyncServer()
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE"])
    for (name, minutes) in [("a", 5), ("b", 15), ("c", 25)] {
      _ = try author.addTask(name, minutes: Int64(minutes))
    }
    try author.upload()
  }

  // MARK: Opening

  private func withConfig<Result>(
    _ device: Device,
    initial: Bool = true,
    _ body: (UnsafePointer<flx_realm_config_t>) throws -> Result
  ) throws -> Result {
    try [TestClass].taskTracker.withC { classes in
      var config = flx_realm_config_t()
      config.struct_size = MemoryLayout<flx_realm_config_t>.size
      config.classes = classes.baseAddress
      config.class_count = classes.count
      config.user = device.user.handle
      if initial { config.initial_subscriptions = subscribeToAllTasks }
      return try body(&config)
    }
  }

  private func openBlocking(
    _ device: Device,
    _ mode: flx_open_mode_t,
    timeout: UInt64 = Patience.milliseconds,
    initial: Bool = true
  ) throws -> Int {
    var realm: OpaquePointer?
    try withConfig(device, initial: initial) { config in
      try attempt { flx_realm_open_blocking(config, mode, timeout, &realm, $0) }
    }
    defer { flx_realm_release(realm) }
    return try countTasks(try #require(realm))
  }

  private func countTasks(_ realm: OpaquePointer) throws -> Int {
    var info = flx_class_info_t()
    try "Task".withC { name in try attempt { flx_realm_find_class(realm, name, &info, $0) } }
    var results: OpaquePointer?
    try attempt { flx_results_create(realm, info.key, &results, $0) }
    defer { flx_results_release(results) }
    var count = 0
    let opened = try #require(results)
    try attempt { flx_results_count(opened, &count, $0) }
    return count
  }

  /// A device whose realm is not open and has no file.
  private func freshDevice() throws -> Device {
    let device = try Device(server)
    device.close()
    try withConfig(device) { config in
      var isDeleted = false
      try attempt { flx_realm_delete_files(config, &isDeleted, $0) }
      #expect(isDeleted)
    }
    return device
  }

  // Feature 67, 142
  @Test func openingWaitsForTheFirstDownload() throws {
    let device = try freshDevice()
    #expect(try openBlocking(device, .FLX_OPEN_DOWNLOAD_ONCE) == 3)
  }

  @Test func openingOnceDoesNotWaitAgain() throws {
    let device = try freshDevice()
    #expect(try openBlocking(device, .FLX_OPEN_DOWNLOAD_ONCE) == 3)
    server.stop()
    #expect(try openBlocking(device, .FLX_OPEN_DOWNLOAD_ONCE) == 3)
    expectFailure(.FLX_STATUS_TIMED_OUT) {
      _ = try openBlocking(device, .FLX_OPEN_DOWNLOAD_ALWAYS, timeout: 100)
    }
  }

  // Feature 143
  @Test func openingAlwaysBringsTheNewest() throws {
    let device = try freshDevice()
    #expect(try openBlocking(device, .FLX_OPEN_DOWNLOAD_ALWAYS) == 3)
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE"])
    _ = try author.addTask("d")
    try author.upload()
    #expect(try openBlocking(device, .FLX_OPEN_DOWNLOAD_ALWAYS) == 4)
  }

  // Feature 141, 148
  @Test func openingLocallyDoesNotWait() throws {
    let device = try freshDevice()
    server.stop()
    #expect(try openBlocking(device, .FLX_OPEN_LOCAL) == 0)
  }

  // Feature 142
  @Test func openingOfflineTimesOut() throws {
    let device = try freshDevice()
    server.stop()
    let message = expectFailure(.FLX_STATUS_TIMED_OUT) {
      _ = try openBlocking(device, .FLX_OPEN_DOWNLOAD_ONCE, timeout: 100)
    }
    #expect(message == "Waiting for download timed out after 0.1 seconds.")
  }

  @Test func openingInTheBackgroundFindsTheDataLater() throws {
    let device = try freshDevice()
    let outcome = Outcome()
    try withConfig(device) { config in
      flx_realm_open_async(
        config,
        .FLX_OPEN_DOWNLOAD_ONCE,
        Patience.milliseconds,
        { Outcome.of($0).add($1.map { CoreError($0.pointee) }) },
        outcome.retained
      ) { Outcome.free($0) }
    }
    #expect(try outcome.get() == nil)
    server.stop()
    #expect(try openBlocking(device, .FLX_OPEN_LOCAL) == 3)
  }

  @Test func openingALocalRealmInTheBackgroundWorks() throws {
    let folder = TemporaryFolder()
    let path = folder.file("local.realm")
    let outcome = Outcome()
    path.withC { path in
      [TestClass].tasks.withC { classes in
        var config = flx_realm_config_t()
        config.struct_size = MemoryLayout<flx_realm_config_t>.size
        config.path = path
        config.classes = classes.baseAddress
        config.class_count = classes.count
        flx_realm_open_async(
          &config,
          .FLX_OPEN_LOCAL,
          0,
          { Outcome.of($0).add($1.map { CoreError($0.pointee) }) },
          outcome.retained
        ) { Outcome.free($0) }
      }
    }
    #expect(try outcome.get() == nil)
    #expect(try FileSystem.read(path) != nil)
  }

  @Test func aRefusedInitialSubscriptionFailsTheOpening() throws {
    let device = try freshDevice()
    var realm: OpaquePointer?
    try withConfig(device, initial: false) { config in
      var config = config.pointee
      config.initial_subscriptions = subscribeToWhatIsNotQueryable
      expectFailure(.FLX_STATUS_SUBSCRIPTION_FAILED) {
        try attempt {
          flx_realm_open_blocking(&config, .FLX_OPEN_DOWNLOAD_ONCE, Patience.milliseconds, &realm, $0)
        }
      }
    }
    #expect(realm == nil)
  }

  // MARK: Subscribing from results

  private func subscribe(
    _ results: TestResults,
    name: String? = nil,
    _ wait: flx_wait_for_sync_t = .FLX_WAIT_ON_CREATION,
    timeout: UInt64 = Patience.milliseconds
  ) throws -> CoreError? {
    let outcome = Outcome()
    let start = { (name: UnsafePointer<flx_string_t>?) in
      try attempt {
        flx_results_subscribe(
          results.handle,
          name,
          wait,
          timeout,
          { Outcome.of($0).add($1.map { CoreError($0.pointee) }) },
          outcome.retained,
          { Outcome.free($0) },
          $0
        )
      }
    }
    if let name {
      try name.withC { name in
        var name = name
        try start(&name)
      }
    } else {
      try start(nil)
    }
    return try outcome.get()
  }

  // Feature 25
  @Test func subscribingWaitsForTheData() throws {
    let device = try Device(server)
    let results = try device.realm.objects("Task").filter("progressMinutes > 10")
    #expect(try subscribe(results) == nil)
    try device.realm.refresh()
    #expect(try results.count == 2)
  }

  // Feature 25, 26
  @Test func subscribingAgainOfflineReturnsAtOnce() throws {
    let device = try Device(server)
    let results = try device.realm.objects("Task")
    #expect(try subscribe(results, name: "all") == nil)
    try device.session.suspend()
    #expect(try subscribe(results, name: "all") == nil)
    #expect(try device.realm.latestSet.count == 1)
    #expect(
      try subscribe(results, name: "all", .FLX_WAIT_ALWAYS, timeout: 50)?.status == .timedOut
    )
  }

  // Feature 26
  @Test func subscribingWithAlwaysBringsTheNewest() throws {
    let device = try Device(server)
    let results = try device.realm.objects("Task")
    #expect(try subscribe(results) == nil)
    try device.session.suspend()
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE"])
    _ = try author.addTask("d")
    try author.upload()
    try device.session.resume()
    #expect(try subscribe(results, .FLX_WAIT_ALWAYS) == nil)
    try device.realm.refresh()
    #expect(try results.count == 4)
  }

  // Feature 27
  @Test func subscribingWithoutWaitReturnsAtOnce() throws {
    let device = try Device(server)
    try device.session.suspend()
    #expect(try subscribe(device.realm.objects("Task"), .FLX_WAIT_NEVER) == nil)
    #expect(try device.realm.latestSet.count == 1)
    #expect(try device.realm.objects("Task").count == 0)
  }

  // Feature 28
  @Test func aTimeOutLeavesTheSubscription() throws {
    let device = try Device(server)
    try device.session.suspend()
    let error = try subscribe(device.realm.objects("Task"), timeout: 1000)
    #expect(error?.status == .timedOut)
    #expect(error?.message == "Waiting for update timed out after 1.0 seconds.")
    #expect(try device.realm.latestSet.count == 1)
  }
}

private let subscribeToAllTasks: flx_initial_subscriptions_t = { _, realm, update, _ in
  subscribe("Task", "TRUEPREDICATE", realm, update)
  return .FLX_STATUS_OK
}

private let subscribeToWhatIsNotQueryable: flx_initial_subscriptions_t = { _, realm, update, _ in
  subscribe("Team", "tasks.@count > 0", realm, update)
  return .FLX_STATUS_OK
}

private func subscribe(_ className: String, _ query: String, _ realm: OpaquePointer, _ update: OpaquePointer)
{
  var info = flx_class_info_t()
  var results: OpaquePointer?
  var filtered: OpaquePointer?
  className.withC { name in _ = flx_realm_find_class(realm, name, &info, nil) }
  _ = flx_results_create(realm, info.key, &results, nil)
  guard let results else { return }
  query.withC { query in _ = flx_results_filter(results, query, nil, 0, &filtered, nil) }
  guard let filtered else { return }
  _ = flx_subscription_update_add(update, filtered, nil, .FLX_NAME_CONFLICT_FAIL, nil)
  flx_results_release(filtered)
  flx_results_release(results)
}
