// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncLoops
import Foundation

/// Calls the C interface.
///
/// - Throws: `BenchmarkError` with the message of the C error.
func call(_ function: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) throws {
  var error = flx_error_t()
  guard function(&error) != .FLX_STATUS_OK else { return }
  let message = withUnsafeBytes(of: error.message) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
  throw BenchmarkError("\(String(cString: flx_status_name(error.status))): \(message)")
}

/// Passes text to C for the duration of `body`.
func withText<Result>(_ text: String, _ body: (flx_string_t) throws -> Result) rethrows -> Result {
  var text = text
  return try text.withUTF8 { bytes in
    try bytes.withMemoryRebound(to: CChar.self) {
      try body(flx_string_t(data: $0.baseAddress, size: $0.count))
    }
  }
}

/// An open realm with the class Task.
/// Rows as columns.
final class TaskColumns {
  let pointer: OpaquePointer

  init(_ rows: [task_row_t]) { pointer = task_columns_create(rows, rows.count) }

  deinit { task_columns_free(pointer) }
}

final class OpenRealm {
  let tasks: task_realm_t

  init(_ fill: (inout flx_realm_config_t) throws -> Void) throws {
    var config = flx_realm_config_t()
    config.struct_size = MemoryLayout<flx_realm_config_t>.size
    config.classes = task_class()
    config.class_count = 1
    try fill(&config)
    var realm: OpaquePointer?
    try call { flx_realm_open(&config, &realm, $0) }
    guard let realm else { throw BenchmarkError("A realm that was opened has no handle.") }
    var tasks = task_realm_t()
    try check { task_realm_bind(realm, &tasks, $0) }
    self.tasks = tasks
  }

  /// Opens a local realm.
  convenience init(path: String, hasIndex: Bool = false) throws {
    let copy = strdup(path)
    defer { free(copy) }
    try self.init { config in
      config.path = flx_string_t(data: copy, size: path.utf8.count)
      if hasIndex { config.classes = task_class_with_index() }
    }
  }

  deinit { flx_realm_release(tasks.realm) }

  func insert(_ rows: [task_row_t], perTransaction: Int) throws {
    var tasks = tasks
    try check { task_realm_insert(&tasks, rows, rows.count, perTransaction, $0) }
  }

  /// Inserts columns in one transaction.
  func insert(_ columns: TaskColumns) throws {
    var tasks = tasks
    try check { task_realm_insert_columns(&tasks, columns.pointer, $0) }
  }

  func count() throws -> Int {
    var tasks = tasks
    var count = 0
    try check { task_realm_count(&tasks, &count, $0) }
    return count
  }

  func contains(_ row: task_row_t) throws -> Bool {
    var tasks = tasks
    var row = row
    var isFound = false
    try check { task_realm_contains(&tasks, &row, &isFound, $0) }
    return isFound
  }

  var path: String {
    let path = flx_realm_path(tasks.realm)
    return String(decoding: UnsafeRawBufferPointer(start: path.data, count: path.size), as: UTF8.self)
  }

  func refresh() throws { try call { flx_realm_refresh(tasks.realm, nil, $0) } }
}

/// A device: an app with a storage folder of its own, an anonymous user and a synced realm.
final class Device {
  /// The maximum duration of a single wait, in milliseconds.
  static let timeout: UInt64 = 60_000

  let realm: OpenRealm
  private let app: OpaquePointer
  private let user: OpaquePointer
  private let session: OpaquePointer

  init(_ server: Server, folder: URL, startsSuspended: Bool = false) throws {
    var app: OpaquePointer?
    var user: OpaquePointer?
    try withText(server.appID) { id in
      try withText(server.url) { url in
        try withText(folder.path) { storage in
          var config = flx_app_config_t()
          config.struct_size = MemoryLayout<flx_app_config_t>.size
          config.app_id = id
          config.base_url = url
          config.storage_directory = storage
          try call { flx_app_create(&config, &app, $0) }
        }
      }
    }
    guard let app else { throw BenchmarkError("An app that was opened has no handle.") }
    var credentials = flx_credentials_t()
    credentials.kind = .FLX_CREDENTIALS_ANONYMOUS
    try call { flx_app_log_in_blocking(app, &credentials, &user, $0) }
    guard let user else { throw BenchmarkError("A user who logged in has no handle.") }
    realm = try OpenRealm { config in
      config.user = user
      config.starts_suspended = startsSuspended
    }
    guard let session = flx_realm_get_session(realm.tasks.realm) else {
      throw BenchmarkError("A synced realm has no session.")
    }
    (self.app, self.user, self.session) = (app, user, session)
  }

  deinit {
    flx_session_release(session)
    flx_user_release(user)
    flx_app_release(app)
  }

  /// Subscribes to tasks without waiting for them.
  ///
  /// - Parameter query: The tasks to subscribe to; nil for all.
  func subscribe(_ query: String? = nil) throws -> SubscriptionSet {
    var update: OpaquePointer?
    var all: OpaquePointer?
    var filtered: OpaquePointer?
    var set: OpaquePointer?
    try call { flx_results_create(realm.tasks.realm, realm.tasks.task, &all, $0) }
    defer { flx_results_release(all) }
    if let query, let all {
      try withText(query) { text in try call { flx_results_filter(all, text, nil, 0, &filtered, $0) } }
    }
    defer { flx_results_release(filtered) }
    let results = filtered ?? all
    try call { flx_subscription_update_begin(realm.tasks.realm, &update, $0) }
    guard let update, let results else { throw BenchmarkError("A subscription update has no handle.") }
    try call { flx_subscription_update_add(update, results, nil, .FLX_NAME_CONFLICT_FAIL, $0) }
    try call { flx_subscription_update_commit(update, &set, $0) }
    guard let set else { throw BenchmarkError("A subscription set has no handle.") }
    return SubscriptionSet(set)
  }

  /// Subscribes to tasks and waits until they have arrived.
  func subscribeAndWait(_ query: String? = nil) throws {
    try subscribe(query).wait()
    try realm.refresh()
  }

  func wait(_ direction: flx_direction_t) throws {
    try call { flx_session_wait_blocking(session, direction, Device.timeout, $0) }
  }

  func suspend() { flx_session_suspend(session) }
  func resume() { flx_session_resume(session) }

  /// Waits until the object is in the realm.
  func waitFor(_ row: task_row_t) throws {
    let deadline = ContinuousClock.now + .milliseconds(Int64(Device.timeout))
    while try !realm.contains(row) {
      var hasChanged = false
      try call { flx_realm_wait_for_change(realm.tasks.realm, 1000, &hasChanged, $0) }
      try realm.refresh()
      guard ContinuousClock.now < deadline else {
        throw BenchmarkError("A write of one device has not reached the other within \(Device.timeout) ms.")
      }
    }
  }
}

/// A committed subscription set.
final class SubscriptionSet {
  private let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_subscription_set_release(pointer) }

  /// Waits until the data of the set is on the device.
  func wait() throws { try call { flx_subscription_set_wait_blocking(pointer, Device.timeout, $0) } }
}
