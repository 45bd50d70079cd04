// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// One device: an app with its own storage folder, and its realm.
@MainActor
final class Device {
  let app: App
  let realm: Realm

  init(_ app: App, user name: String, isOffline: Bool) async throws {
    self.app = app
    var user = app.currentUser
    if user == nil { user = try await Device.logIn(app, name) }
    guard let user else { throw ScenarioError("nobody is logged in") }
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Task.self, Team.self]
    configuration.syncConfiguration?.startsSuspended = isOffline
    realm = try await Realm(configuration: configuration)
  }

  private static func logIn(_ app: App, _ name: String) async throws -> User {
    let email = "\(name)@example.com"
    do {
      try await app.emailPasswordAuth.registerUser(email: email, password: "password")
    } catch let error as AppError where error.code == .accountNameInUse {
      // Another device of the same user has registered it.
    }
    return try await app.login(credentials: .emailPassword(email: email, password: "password"))
  }

  /// Does a step and returns the lines that it prints.
  func play(_ step: Step) async throws -> String {
    switch try step.required("do") {
    case "update": return try await update(step)
    case "subscriptions": return describeSubscriptions()
    case "subscribe": return try await subscribe(step)
    case "unsubscribe": return try unsubscribe(step)
    case "write": return try write(step)
    case "dump": return try dump(step)
    case "await": return try await awaitCount(step)
    case "sync": return try await sync()
    case "suspend":
      realm.syncSession?.suspend()
      return "suspended"
    case "resume":
      realm.syncSession?.resume()
      return "resumed"
    default: throw ScenarioError("unknown step '\(try step.required("do"))'")
    }
  }

  // MARK: Subscriptions

  private func update(_ step: Step) async throws -> String {
    let subscriptions = realm.subscriptions
    let changes = step.steps("changes")
    var misuse: (any Error)?
    let block = { [self] in
      do { for change in changes { try apply(change, subscriptions) } } catch { misuse = error }
    }
    do {
      guard step.flag("wait") ?? true else {
        let refusal = Refusal()
        subscriptions.update(block) { refusal.note($0) }
        if let error = refusal.atOnce() { return "failed: \(describe(error))" }
        return "committed version \(subscriptions.version)"
      }
      try await subscriptions.update(block)
    } catch {
      return "failed: \(describe(error))"
    }
    if let misuse { throw misuse }
    return "version \(subscriptions.version) \(subscriptions.state)".replacing(/error\(.*\)/, with: "error")
  }

  private func apply(_ change: Step, _ subscriptions: SyncSubscriptionSet) throws {
    if let added = change.step("add") { return try append(added, subscriptions) }
    if let changed = change.step("query") {
      guard let existing = subscriptions.first(named: try changed.required("name")) else { return }
      let query = changed.text("query") ?? "TRUEPREDICATE"
      if try changed.required("class") == "Task" {
        return existing.updateQuery(toType: Task.self, where: query)
      }
      return existing.updateQuery(toType: Team.self, where: query)
    }
    if let removed = change.step("removeQuery") {
      let query = removed.text("query") ?? "TRUEPREDICATE"
      if try removed.required("class") == "Task" {
        return subscriptions.remove(ofType: Task.self, where: query)
      }
      return subscriptions.remove(ofType: Team.self, where: query)
    }
    if let name = change.text("remove") { return subscriptions.remove(named: name) }
    if let className = change.text("removeClass") {
      if className == "Task" { return subscriptions.removeAll(ofType: Task.self) }
      return subscriptions.removeAll(ofType: Team.self)
    }
    if let unnamedOnly = change.flag("removeAll") { return subscriptions.removeAll(unnamedOnly: unnamedOnly) }
    throw ScenarioError("unknown change of an update")
  }

  private func append(_ step: Step, _ subscriptions: SyncSubscriptionSet) throws {
    let name = step.text("name")
    let query = step.text("query") ?? "TRUEPREDICATE"
    if step.flag("replace") == true, let name, let existing = subscriptions.first(named: name) {
      return existing.updateQuery(toType: Task.self, where: query)
    }
    if try step.required("class") == "Task" {
      return subscriptions.append(QuerySubscription<Task>(name: name, where: query))
    }
    subscriptions.append(QuerySubscription<Team>(name: name, where: query))
  }

  private func describeSubscriptions() -> String {
    let subscriptions = realm.subscriptions
    let state = "\(subscriptions.state)".replacing(/error\(.*\)/, with: "error")
    let list = subscriptions.map { " \($0.name ?? "-")=\($0.objectType)(\($0.queryString))" }
    return "version \(subscriptions.version) \(state):" + list.joined(separator: ",")
  }

  private func subscribe(_ step: Step) async throws -> String {
    do {
      if try step.required("class") == "Task" {
        try await subscribe(Task.self, step)
      } else {
        try await subscribe(Team.self, step)
      }
      return "subscribed"
    } catch {
      return "failed: \(describe(error))"
    }
  }

  private func subscribe<Class: Object>(_ type: Class.Type, _ step: Step) async throws {
    let modes: [String: WaitForSyncMode] = ["onCreation": .onCreation, "always": .always, "never": .never]
    guard let mode = modes[step.text("wait") ?? "onCreation"] else {
      throw ScenarioError("unknown wait mode")
    }
    let timeout = step.number("timeout")
    try await objects(type, step).subscribe(
      name: step.text("name"),
      waitForSync: mode,
      timeout: timeout == 0 ? 20 : TimeInterval(timeout) / 1000
    )
  }

  private func unsubscribe(_ step: Step) throws -> String {
    if try step.required("class") == "Task" {
      try objects(Task.self, step).unsubscribe()
    } else {
      try objects(Team.self, step).unsubscribe()
    }
    return "unsubscribed"
  }

  // MARK: Objects

  private func objects<Class: Object>(_ type: Class.Type, _ step: Step) throws -> Results<Class> {
    let all = realm.objects(type)
    return try step.text("query").map { try all.filtered(by: $0) } ?? all
  }

  private func write(_ step: Step) throws -> String {
    do {
      try realm.write { for change in step.steps("changes") { try apply(change) } }
      return "wrote"
    } catch let error as ScenarioError {
      throw error
    } catch {
      return "failed: \(describe(error))"
    }
  }

  private func apply(_ change: Step) throws {
    let identifier = try ObjectId(string: change.required("id"))
    for operation in ["insert", "replace", "erase", "move", "clear"] {
      guard let property = change.text(operation) else { continue }
      return try editList(of: find(Team.self, identifier), property, operation, change)
    }
    if let className = change.text("create") {
      return try create(className, identifier, change.values("values"))
    }
    if let className = change.text("set") {
      let object: any ScenarioObject =
        try className == "Task" ? find(Task.self, identifier) : find(Team.self, identifier)
      for (name, value) in change.values("values") { try object.assign(name, value, in: realm) }
    } else if let className = change.text("delete") {
      if className == "Task" {
        realm.delete(try find(Task.self, identifier))
      } else {
        realm.delete(try find(Team.self, identifier))
      }
    } else {
      throw ScenarioError("unknown change of a write")
    }
  }

  private func create(_ className: String, _ identifier: ObjectId, _ values: [String: Any]) throws {
    if className == "Task" {
      let task = Task()
      task._id = identifier
      for (name, value) in values { try task.assign(name, value, in: realm) }
      realm.add(task)
    } else {
      let team = Team()
      team._id = identifier
      for (name, value) in values { try team.assign(name, value, in: realm) }
      realm.add(team)
    }
  }

  private func find<Class: Object>(_ type: Class.Type, _ identifier: ObjectId) throws -> Class {
    guard let object = realm.object(ofType: type, forPrimaryKey: identifier) else {
      throw ScenarioError("there is no \(type) \(identifier)")
    }
    return object
  }

  private func editList(of team: Team, _ property: String, _ operation: String, _ change: Step) throws {
    if property == "members" {
      edit(team.members, operation, change, change.text("value"))
    } else {
      let task = try change.text("value").map { try find(Task.self, ObjectId(string: $0)) }
      edit(team.tasks, operation, change, task)
    }
  }

  private func edit<Element>(_ list: List<Element>, _ operation: String, _ change: Step, _ value: Element?) {
    let index = change.number("index")
    switch (operation, value) {
    case ("insert", let value?): list.insert(value, at: index)
    case ("replace", let value?): list[index] = value
    case ("erase", _): list.remove(at: index)
    case ("move", _): list.move(from: index, to: change.number("to"))
    default: list.removeAll()
    }
  }

  private func dump(_ step: Step) throws -> String {
    let className = try step.required("class")
    let objects: [any ScenarioObject] =
      try className == "Task" ? Array(objects(Task.self, step)) : Array(objects(Team.self, step))
    let lines = objects.sorted { $0.identifier < $1.identifier }.map { "  \($0.line)" }
    return (["\(objects.count) \(className)"] + lines).joined(separator: "\n")
  }

  // MARK: Waiting

  private func awaitCount(_ step: Step) async throws -> String {
    let className = try step.required("class")
    let wanted = step.number("count")
    var count = 0
    for _ in 0..<400 {
      realm.refresh()
      count = try className == "Task" ? objects(Task.self, step).count : objects(Team.self, step).count
      if count == wanted { return "\(count) \(className) where \(step.text("query") ?? "TRUEPREDICATE")" }
      try await _Concurrency.Task.sleep(for: .milliseconds(50))
    }
    return "gave up with \(count)"
  }

  private func sync() async throws -> String {
    do {
      try await realm.syncSession?.wait(for: .upload)
      try await realm.syncSession?.wait(for: .download)
    } catch {
      return "failed: \(describe(error))"
    }
    realm.refresh()
    return "in sync"
  }

  private func describe(_ error: any Error) -> String {
    (error as? any CustomStringConvertible & LocalizedError)?.description ?? error.localizedDescription
  }
}

/// What an update reports before it returns: a mistake in its block, as opposed to the server's answer later.
private final class Refusal: @unchecked Sendable {
  private let lock = NSLock()
  private var error: (any Error)?
  private var isOver = false

  func note(_ error: (any Error)?) {
    lock.withLock { if !isOver { self.error = error } }
  }

  func atOnce() -> (any Error)? {
    lock.withLock {
      isOver = true
      return error
    }
  }
}
