// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// A subscription as tests see it.
struct TestSubscription: Equatable {
  var id: ObjectIdBytes
  var name: String?
  var className: String
  var query: String
  var createdAt: Cell
  var updatedAt: Cell

  init(_ subscription: flx_subscription_t) {
    id = ObjectIdBytes(subscription.id)
    name = subscription.has_name ? subscription.name.text : nil
    className = subscription.class_name.text
    query = subscription.query.text
    createdAt = .timestamp(subscription.created_at.seconds, subscription.created_at.nanoseconds)
    updatedAt = .timestamp(subscription.updated_at.seconds, subscription.updated_at.nanoseconds)
  }
}

/// The bytes of an object id, to compare.
struct ObjectIdBytes: Equatable {
  let bytes: [UInt8]

  init(_ id: flx_object_id_t) { bytes = withUnsafeBytes(of: id) { [UInt8]($0) } }

  var c: flx_object_id_t {
    var id = flx_object_id_t()
    withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: bytes) }
    return id
  }
}

/// A set handle.
final class TestSet {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flx_subscription_set_release(handle) }

  var version: Int64 { flx_subscription_set_version(handle) }
  var state: flx_subscription_state_t { flx_subscription_set_state(handle) }
  var error: String { flx_subscription_set_error_message(handle).text }
  var count: Int { flx_subscription_set_count(handle) }

  var all: [TestSubscription] {
    get throws { try (0..<count).map { try at($0) } }
  }

  /// Name and query of each subscription.
  var summary: [String] {
    get throws { try all.map { "\($0.name ?? "-"): \($0.className) \($0.query)" } }
  }

  func at(_ index: Int) throws -> TestSubscription {
    var subscription = flx_subscription_t()
    try attempt { flx_subscription_set_at(handle, index, &subscription, $0) }
    return TestSubscription(subscription)
  }

  func named(_ name: String) -> TestSubscription? {
    var subscription = flx_subscription_t()
    return name.withC { flx_subscription_set_find_named(handle, $0, &subscription) }
      ? TestSubscription(subscription) : nil
  }

  func matching(_ results: TestResults) throws -> TestSubscription? {
    var subscription = flx_subscription_t()
    var isFound = false
    try attempt { flx_subscription_set_find_results(handle, results.handle, &subscription, &isFound, $0) }
    return isFound ? TestSubscription(subscription) : nil
  }

  func refresh() throws { try attempt { flx_subscription_set_refresh(handle, $0) } }
}

/// An open update.
struct TestUpdate {
  let handle: OpaquePointer

  var count: Int { flx_subscription_update_count(handle) }

  func add(
    _ results: TestResults,
    name: String? = nil,
    _ conflict: flx_name_conflict_t = .FLX_NAME_CONFLICT_FAIL
  ) throws {
    guard let name else {
      return try attempt { flx_subscription_update_add(handle, results.handle, nil, conflict, $0) }
    }
    try name.withC { name in
      var name = name
      try attempt { flx_subscription_update_add(handle, results.handle, &name, conflict, $0) }
    }
  }

  func setQuery(_ id: ObjectIdBytes, _ results: TestResults) throws {
    var id = id.c
    try attempt { flx_subscription_update_set_query(handle, &id, results.handle, $0) }
  }

  func remove(_ id: ObjectIdBytes) -> Bool {
    var id = id.c
    return flx_subscription_update_remove(handle, &id)
  }

  func remove(named name: String) -> Bool {
    name.withC { flx_subscription_update_remove_named(handle, $0) }
  }

  func remove(_ results: TestResults) throws -> Bool {
    var isRemoved = false
    try attempt { flx_subscription_update_remove_results(handle, results.handle, &isRemoved, $0) }
    return isRemoved
  }

  func removeAll(of className: String) -> Int {
    className.withC { flx_subscription_update_remove_class(handle, $0) }
  }

  func removeAll(unnamedOnly: Bool = false) -> Int { flx_subscription_update_remove_all(handle, unnamedOnly) }

  func at(_ index: Int) throws -> TestSubscription {
    var subscription = flx_subscription_t()
    try attempt { flx_subscription_update_at(handle, index, &subscription, $0) }
    return TestSubscription(subscription)
  }

  func commit() throws -> TestSet {
    var set: OpaquePointer?
    try attempt { flx_subscription_update_commit(handle, &set, $0) }
    return TestSet(try #require(set))
  }

  func cancel() { flx_subscription_update_cancel(handle) }
}

extension TestRealm {
  var latestSet: TestSet {
    get throws {
      var set: OpaquePointer?
      try attempt { flx_subscription_set_get_latest(handle, &set, $0) }
      return TestSet(try #require(set))
    }
  }

  var activeSet: TestSet {
    get throws {
      var set: OpaquePointer?
      try attempt { flx_subscription_set_get_active(handle, &set, $0) }
      return TestSet(try #require(set))
    }
  }

  func beginUpdate() throws -> TestUpdate {
    var update: OpaquePointer?
    try attempt { flx_subscription_update_begin(handle, &update, $0) }
    return TestUpdate(handle: try #require(update))
  }

  /// Changes the subscriptions in one update.
  @discardableResult
  func updateSubscriptions(_ change: (TestUpdate) throws -> Void) throws -> TestSet {
    let update = try beginUpdate()
    do {
      try change(update)
    } catch {
      update.cancel()
      throw error
    }
    return try update.commit()
  }
}

/// A user who is logged in with a server that knows accounts and nothing else.
struct TestAccount {
  let folder = TemporaryFolder()
  let server: AccountServer
  let app: CApp
  let user: CUser

  init() throws {
    server = try AccountServer()
    app = try CApp(url: server.url, folder: folder.path)
    user = try app.logInAnonymously()
  }

  /// Opens a realm of the user that does not try to connect.
  func open(
    path: String = "",
    memory: String = "",
    classes: [TestClass] = .tasks,
    configure: (inout flx_realm_config_t) -> Void = { _ in }
  ) throws -> TestRealm {
    try TestRealm(path: path, memory: memory, classes: classes) { config in
      config.user = user.handle
      config.starts_suspended = true
      configure(&config)
    }
  }
}
