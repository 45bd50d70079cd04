// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// One device: a storage folder, an app, a user, and a realm of the example app.
final class Device {
  let folder = TemporaryFolder()
  let url: String
  /// nil for a new anonymous user.
  let email: String?
  let classes: [TestClass]
  private(set) var app: CApp
  private(set) var user: CUser
  private(set) var opened: TestRealm?

  /// Logs in, as a registered user if there is an email, and opens the realm.
  convenience init(_ server: SyncServer, email: String? = nil, classes: [TestClass] = .taskTracker) throws {
    try self.init(url: server.url, email: email, classes: classes)
  }

  init(url: String, email: String? = nil, classes: [TestClass] = .taskTracker) throws {
    self.classes = classes
    self.url = url
    self.email = email
    // Connections that break are what many tests are about.
    flx_set_logger(.FLX_LOG_FATAL, nil, nil, nil)
    let app = try CApp(url: url, folder: folder.path, id: "tasktracker-abcde")
    self.app = app
    user = try email.map { try Self.logIn(app, $0) } ?? app.logInAnonymously()
    try open()
  }

  private static func logIn(_ app: CApp, _ email: String) throws -> CUser {
    do {
      try app.register(email, "secret123")
    } catch let error as CoreError where error.status == .accountNameInUse {
      // Another device has registered the user.
    }
    return try app.logIn(email, "secret123")
  }

  var realm: TestRealm {
    get throws { try #require(opened) }
  }

  func open(_ configure: (inout flx_realm_config_t) -> Void = { _ in }) throws {
    opened = try TestRealm(classes: classes) { config in
      config.user = user.handle
      configure(&config)
    }
  }

  func close() {
    opened?.release()
    opened = nil
  }

  /// Closes everything and starts again from what is on the disk, as after the end of the process.
  func restart() throws {
    close()
    user = try #require(app.currentUser)
    app = try CApp(url: url, folder: folder.path, id: "tasktracker-abcde")
    user = try #require(app.currentUser)
    try open()
  }

  // MARK: Sync

  var session: TestSession {
    get throws { TestSession(try #require(flx_realm_get_session(try realm.handle))) }
  }

  /// Replaces all subscriptions, by class and query, and waits until they are complete.
  @discardableResult
  func subscribe(_ queries: KeyValuePairs<String, String>, timeout: UInt64 = Patience.milliseconds) throws
    -> TestSet
  {
    let set = try setSubscriptions(queries)
    try set.wait(timeout: timeout)
    return set
  }

  /// Replaces all subscriptions, by class and query.
  func setSubscriptions(_ queries: KeyValuePairs<String, String>) throws -> TestSet {
    let realm = try realm
    return try realm.updateSubscriptions { update in
      _ = update.removeAll()
      for (className, query) in queries { try update.add(try realm.objects(className).filter(query)) }
    }
  }

  func upload(timeout: UInt64 = Patience.milliseconds) throws {
    try session.wait(.FLX_DIRECTION_UPLOAD, timeout: timeout)
  }

  /// Waits until everything that the server has is here, and shows it.
  func download(timeout: UInt64 = Patience.milliseconds) throws {
    try session.wait(.FLX_DIRECTION_DOWNLOAD, timeout: timeout)
    try realm.refresh()
  }

  // MARK: Data

  func addTask(_ name: String, assignee: String? = nil, minutes: Int64 = 0, id: String? = nil) throws
    -> String
  {
    let id = id ?? newObjectId()
    try realm.write {
      try realm.create(
        "Task",
        .objectId(id),
        [
          "taskName": .string(name), "assignee": assignee.map(Cell.string) ?? .null,
          "progressMinutes": .int(minutes),
        ]
      )
    }
    return id
  }

  /// The task of that id, which must be there.
  func task(_ id: String) throws -> TestObject { try found("Task", id) }

  /// The team of that id, which must be there.
  func team(_ id: String) throws -> TestObject { try found("Team", id) }

  private func found(_ className: String, _ id: String) throws -> TestObject {
    guard let object = try realm.find(className, .objectId(id)) else {
      throw Failure(status: .FLX_STATUS_OBJECT_INVALIDATED, message: "\(className) \(id) is not there")
    }
    return object
  }

  func set(_ id: String, _ property: String, _ value: Cell) throws {
    let task = try task(id)
    try realm.write { try task.set(property, value) }
  }

  func delete(_ id: String) throws {
    let task = try task(id)
    try realm.write { try attempt { flx_object_delete(task.handle, $0) } }
  }

  /// The names of all tasks, sorted.
  var taskNames: [String] {
    get throws { try realm.taskNames }
  }

  /// Refreshes until something has come true.
  func expect(_ what: String, seconds: Double = Patience.seconds, _ condition: () throws -> Bool) throws {
    let deadline = Clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
    while true {
      try realm.refresh()
      if try condition() { return }
      guard Clock.monotonicNanoseconds() < deadline else {
        throw Failure(status: .FLX_STATUS_TIMED_OUT, message: what)
      }
      var hasChanged = false
      let realm = try realm
      try attempt { flx_realm_wait_for_change(realm.handle, 20, &hasChanged, $0) }
    }
  }
}

extension TestRealm {
  /// The names of all tasks, sorted.
  var taskNames: [String] {
    get throws {
      try objects("Task").values("taskName").map { cell in
        if case .string(let name) = cell { name } else { "?" }
      }.sorted()
    }
  }
}

func newObjectId() -> String {
  var id = flx_object_id_generate()
  var text = [CChar](repeating: 0, count: 25)
  flx_object_id_format(&id, &text)
  return String(decoding: text.prefix(24).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A session handle.
final class TestSession {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flx_session_release(handle) }

  var state: flx_session_state_t { flx_session_get_state(handle) }
  var connectionState: flx_connection_state_t { flx_session_get_connection_state(handle) }

  var isSyncAgent: Bool { flx_session_is_sync_agent(handle) }

  func suspend() { flx_session_suspend(handle) }
  func resume() { flx_session_resume(handle) }
  func reconnect() { flx_session_reconnect(handle) }

  func wait(_ direction: flx_direction_t, timeout: UInt64 = Patience.milliseconds) throws {
    try attempt { flx_session_wait_blocking(handle, direction, timeout, $0) }
  }

  /// Waits for a state of the connection.
  func waitFor(_ state: flx_connection_state_t, seconds: Double = Patience.seconds) throws {
    let deadline = Clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
    while connectionState != state {
      guard Clock.monotonicNanoseconds() < deadline else {
        throw Failure(status: .FLX_STATUS_TIMED_OUT, message: "the connection does not become \(state)")
      }
      pause(milliseconds: 1)
    }
  }
}

extension TestSet {
  func wait(timeout: UInt64 = Patience.milliseconds) throws {
    try attempt { flx_subscription_set_wait_blocking(handle, timeout, $0) }
  }
}

extension [TestClass] {
  /// The classes of the example app.
  static let taskTracker: [TestClass] = [
    TestClass(
      name: "Task",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_OBJECT_ID, isPrimaryKey: true),
        TestProperty(name: "taskName", type: .FLX_TYPE_STRING),
        TestProperty(name: "assignee", type: .FLX_TYPE_STRING, isNullable: true),
        TestProperty(name: "completed", type: .FLX_TYPE_BOOL),
        TestProperty(name: "progressMinutes", type: .FLX_TYPE_INT),
        TestProperty(name: "dueDate", type: .FLX_TYPE_TIMESTAMP),
      ]
    ),
    TestClass(
      name: "Team",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_OBJECT_ID, isPrimaryKey: true),
        TestProperty(name: "teamName", type: .FLX_TYPE_STRING),
        TestProperty(name: "tasks", type: .FLX_TYPE_LINK, collection: .FLX_COLLECTION_LIST, target: "Task"),
        TestProperty(name: "members", type: .FLX_TYPE_STRING, collection: .FLX_COLLECTION_LIST),
      ]
    ),
  ]
}
