// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// The tasks of a user on this device.
@MainActor
struct TaskList {
  private let realm: Realm
  private let isOffline: Bool

  init(_ user: User, isOffline: Bool) async throws {
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Task.self, Team.self]
    configuration.syncConfiguration?.startsSuspended = isOffline
    realm = try await Realm(configuration: configuration)
    self.isOffline = isOffline
  }

  func run(_ options: Options) async throws {
    let arguments = options.arguments
    switch (options.command, arguments.count) {
    case ("subscribe", 2): try await subscribe(arguments[0], arguments[1])
    case ("unsubscribe", 1): try await unsubscribe(arguments[0])
    case ("subscriptions", 0): showSubscriptions()
    case ("list", 0...1):
      let tasks = try query(arguments.first)
      tasks.forEach(show)
      print("\(tasks.count) tasks")
    case ("count", 0...1): print(try query(arguments.first).count)
    case ("add", 1): try await add(arguments[0], assignee: nil, minutes: 0)
    case ("add", 3): try await add(arguments[0], assignee: arguments[1], minutes: Int(arguments[2]) ?? 0)
    case ("complete", 1): try await complete(arguments[0])
    case ("sync", 0):
      try await synchronize()
      print("in sync")
    case ("watch", 1): try await watch(seconds: Double(arguments[0]) ?? 0)
    default: fail(Tasks.usage)
    }
  }

  // MARK: Subscriptions

  private func subscribe(_ name: String, _ query: String) async throws {
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      if let existing = subscriptions.first(named: name) {
        existing.updateQuery(toType: Task.self, where: query)
      } else {
        subscriptions.append(QuerySubscription<Task>(name: name, where: query))
      }
    }
    print("subscriptions are \(subscriptions.state)")
  }

  private func unsubscribe(_ name: String) async throws {
    let subscriptions = realm.subscriptions
    guard subscriptions.first(named: name) != nil else {
      fail("tasks-swift: there is no subscription '\(name)'")
    }
    try await subscriptions.update { subscriptions.remove(named: name) }
    print("subscriptions are \(subscriptions.state)")
  }

  private func showSubscriptions() {
    print("version \(realm.subscriptions.version) is \(realm.subscriptions.state)")
    for one in realm.subscriptions {
      print("  \(one.name ?? ""): \(one.objectType) where \(one.queryString)")
    }
  }

  // MARK: Tasks

  private func query(_ text: String?) throws -> Results<Task> {
    let all = realm.objects(Task.self)
    return try text.map { try all.filtered(by: $0) } ?? all
  }

  private func show(_ task: Task) {
    let minutes =
      String(repeating: " ", count: max(0, 4 - String(task.progressMinutes).count))
      + "\(task.progressMinutes)"
    let assignee = task.assignee ?? "-"
    let gap = String(repeating: " ", count: max(1, 10 - assignee.count))
    print("\(task._id) [\(task.completed ? "x" : " ")] \(minutes) min  \(assignee)\(gap)\(task.taskName)")
  }

  private func add(_ name: String, assignee: String?, minutes: Int) async throws {
    let task = Task()
    task.taskName = name
    task.assignee = assignee
    task.progressMinutes = minutes
    task.dueDate = Date(timeIntervalSinceNow: 7 * 24 * 3600)
    try realm.write { realm.add(task) }
    show(task)
    if !isOffline { try await synchronize() }
  }

  private func complete(_ id: String) async throws {
    guard let task = realm.object(ofType: Task.self, forPrimaryKey: try ObjectId(string: id)) else {
      fail("tasks-swift: there is no task \(id) on this device")
    }
    try realm.write { task.completed = true }
    show(task)
    if !isOffline { try await synchronize() }
  }

  // MARK: Syncing

  /// Waits until the server has what was written here, and this device has what the server had.
  private func synchronize() async throws {
    try await realm.syncSession?.wait(for: .upload)
    try await realm.syncSession?.wait(for: .download)
    realm.refresh()
  }

  private func watch(seconds: Double) async throws {
    let tasks = realm.objects(Task.self)
    let token = tasks.observe { change in
      switch change {
      case .initial: print("watching")
      case .update(_, let deletions, let insertions, let modifications):
        deletions.forEach { print("gone: task number \($0)") }
        insertions.forEach { index in
          print("new: ", terminator: "")
          show(tasks[index])
        }
        modifications.forEach { index in
          print("changed: ", terminator: "")
          show(tasks[index])
        }
      case .error(let error): print("error: \(error)")
      }
      // Output that goes to a file is not written line by line otherwise.
      fflush(nil)
    }
    realm.refresh()
    try await _Concurrency.Task.sleep(for: .seconds(seconds))
    token.invalidate()
  }
}
