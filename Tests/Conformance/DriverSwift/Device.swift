// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// One device: an app with its own storage folder, and its realm.
@MainActor
final class Device {
  let app: App
  let realm: Realm
  private let data: URL
  /// After the step `freeze`.
  private var frozen: Realm?
  private var observers: [Observer] = []

  init(_ app: App, _ realm: Realm, _ data: URL) {
    self.app = app
    self.realm = realm
    self.data = data
  }

  /// Does a step and returns the lines that it prints.
  func play(_ step: Step) async throws -> String {
    switch try step.required("do") {
    case "copy": return try copy(step)
    case "update": return try await update(step)
    case "subscriptions": return describeSubscriptions()
    case "subscribe": return try await subscribe(step)
    case "unsubscribe": return try await unsubscribe(step)
    case "write": return try write(step)
    case "begin":
      realm.beginWrite()
      return "began"
    case "commit":
      try realm.commitWrite()
      return "committed"
    case "cancel":
      realm.cancelWrite()
      return "canceled"
    case "dump": return try dump(step)
    case "match": return try match(step)
    case "observe": return try observe(step)
    case "changes": return describeChanges()
    case "unobserve":
      let name = try step.required("as")
      observers.removeAll { $0.name == name }
      return "no longer observes \(name)"
    case "complete": return try describeCompleteness(step.type, step)
    case "linkState": return try describeLink(step)
    case "freeze":
      frozen = realm.freeze()
      return "froze"
    case "frozen":
      guard let frozen else { throw ScenarioError("the device has frozen nothing") }
      return try dump(step, in: frozen)
    case "objects": return try objectsAsJSON(step)
    case "backlinks": return try backlinks(step)
    case "await": return try await awaitCount(step)
    case "sync": return try await sync()
    case "rejected": return describeRejectedWrites()
    case "discard":
      try rejectedWrite(step.required("class"), step).discard()
      return "discarded"
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
        if let error = refusal.atOnce() { return "failed: \(Device.describe(error))" }
        return "committed version \(subscriptions.version)"
      }
      try await subscriptions.update(block)
    } catch {
      return "failed: \(Device.describe(error))"
    }
    if let misuse { throw misuse }
    return "version \(subscriptions.version) \(subscriptions.state)".replacing(/error\(.*\)/, with: "error")
  }

  private func apply(_ change: Step, _ subscriptions: SyncSubscriptionSet) throws {
    if let added = change.step("add") { return try append(added, subscriptions) }
    if let changed = change.step("query") {
      guard let existing = subscriptions.first(named: try changed.required("name")) else { return }
      return update(existing, to: try changed.type, changed.query)
    }
    if let removed = change.step("removeQuery") {
      return remove(try removed.type, removed.query, from: subscriptions)
    }
    if let name = change.text("remove") { return subscriptions.remove(named: name) }
    if let className = change.text("removeClass") {
      return removeAll(try scenarioClass(className), from: subscriptions)
    }
    if let unnamedOnly = change.flag("removeAll") { return subscriptions.removeAll(unnamedOnly: unnamedOnly) }
    throw ScenarioError("unknown change of an update")
  }

  private func append(_ step: Step, _ subscriptions: SyncSubscriptionSet) throws {
    let name = step.text("name")
    if step.flag("replace") == true, let name, let existing = subscriptions.first(named: name) {
      return update(existing, to: try step.type, step.query)
    }
    append(try step.type, name, step.query, to: subscriptions)
  }

  private func append<Class: ScenarioObject>(
    _ type: Class.Type,
    _ name: String?,
    _ query: String,
    to subscriptions: SyncSubscriptionSet
  ) {
    subscriptions.append(QuerySubscription<Class>(name: name, where: query))
  }

  private func update<Class: ScenarioObject>(
    _ subscription: SyncSubscription,
    to type: Class.Type,
    _ query: String
  ) {
    subscription.updateQuery(toType: type, where: query)
  }

  private func remove<Class: ScenarioObject>(
    _ type: Class.Type,
    _ query: String,
    from subscriptions: SyncSubscriptionSet
  ) {
    subscriptions.remove(ofType: type, where: query)
  }

  private func removeAll<Class: ScenarioObject>(_ type: Class.Type, from subscriptions: SyncSubscriptionSet) {
    subscriptions.removeAll(ofType: type)
  }

  private func describeSubscriptions() -> String {
    let subscriptions = realm.subscriptions
    let state = "\(subscriptions.state)".replacing(/error\(.*\)/, with: "error")
    let list = subscriptions.map { " \($0.name ?? "-")=\($0.objectType)(\($0.queryString))" }
    return "version \(subscriptions.version) \(state):" + list.joined(separator: ",")
  }

  private func subscribe(_ step: Step) async throws -> String {
    do {
      try await subscribe(step.type, step)
      return "subscribed"
    } catch {
      return "failed: \(Device.describe(error))"
    }
  }

  private func subscribe<Class: ScenarioObject>(_ type: Class.Type, _ step: Step) async throws {
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

  private func unsubscribe(_ step: Step) async throws -> String {
    do {
      return try await unsubscribe(step.type, step)
    } catch let error as ScenarioError {
      throw error
    } catch {
      return "failed: \(Device.describe(error))"
    }
  }

  private func unsubscribe<Class: ScenarioObject>(_ type: Class.Type, _ step: Step) async throws -> String {
    guard step.flag("wait") == true else {
      try objects(type, step).unsubscribe()
      return "unsubscribed"
    }
    try await objects(type, step).unsubscribeAndWait(timeout: 20)
    return "unsubscribed, and the objects are gone"
  }

  private func describeCompleteness<Class: ScenarioObject>(_ type: Class.Type, _ step: Step) throws -> String
  {
    let amount =
      switch try objects(type, step).completeness {
      case .complete: "has every"
      case .incomplete: "may lack some"
      }
    return "\(amount) \(try step.required("class")) where \(step.query)"
  }

  private func copy(_ step: Step) throws -> String {
    let name = try step.required("to")
    let synced = step.flag("synced") == true ? app.currentUser?.flexibleSyncConfiguration() : nil
    var configuration = synced ?? Realm.Configuration()
    configuration.fileURL = Opening.file(name, in: data)
    do {
      try realm.writeCopy(configuration: configuration)
      return "wrote a copy to \(name)"
    } catch {
      return "failed: \(Device.describe(error))"
    }
  }

  // MARK: Objects

  private func objects<Class: Object>(_ type: Class.Type, _ step: Step, in realm: Realm? = nil) throws
    -> Results<Class>
  {
    let all = (realm ?? self.realm).objects(type)
    guard let query = step.text("query") else { return all }
    let arguments = try (step.any("arguments") as? [Any] ?? []).map { try argument($0) }
    switch arguments.count {
    case 0: return try all.filtered(by: query)
    case 1: return try all.filtered(by: query, arguments[0])
    case 2: return try all.filtered(by: query, arguments[0], arguments[1])
    default: throw ScenarioError("a query has two arguments at most")
    }
  }

  /// A value of any type, or a list of them.
  private func argument(_ json: Any) throws -> Any {
    guard let list = json as? [Any] else { return try AnyRealmValue(scenario: json, in: realm) }
    return try list.map { try AnyRealmValue(scenario: $0, in: realm) }
  }

  private func write(_ step: Step) throws -> String {
    do {
      let changes = { [self] in for change in step.steps("changes") { try apply(change) } }
      if realm.isInWriteTransaction { try changes() } else { try realm.write(changes) }
      return "wrote"
    } catch let error as ScenarioError {
      throw error
    } catch {
      return "failed: \(Device.describe(error))"
    }
  }

  private func apply(_ change: Step) throws {
    let identifier = try ObjectId(string: change.required("id"))
    for operation in ["insert", "replace", "erase", "move", "clear", "include", "exclude", "put", "drop"] {
      guard let property = change.text(operation) else { continue }
      let object: any ScenarioObject = try find(change.type, identifier)
      return try object.edit(property, CollectionEdit(operation, change), in: realm)
    }
    if let property = change.text("increment") {
      guard try change.required("class") == "Task", property == "progressMinutes" else {
        throw ScenarioError("only the progressMinutes of a Task are incremented")
      }
      return try find(Task.self, identifier).increment(\.progressMinutes, by: change.number("value"))
    }
    if let className = change.text("resubmit") { return try rejectedWrite(className, change).resubmit() }
    if change.text("create") == "Reading" {
      let values = change.values("values").merging(["_id": identifier]) { value, _ in value }
      return realm.create(Reading.self, value: values)
    }
    if let className = change.text("create") {
      return try create(scenarioClass(className), identifier, change.values("values"))
    }
    if let className = change.text("set") {
      let object: any ScenarioObject = try find(scenarioClass(className), identifier)
      for (name, value) in change.values("values") {
        if let path = change.any("inside") as? [Any] {
          try object.assign(name, value, inside: path, in: realm)
        } else {
          try object.assign(name, value, in: realm)
        }
      }
    } else if let className = change.text("delete") {
      realm.delete(try find(scenarioClass(className), identifier) as Object)
    } else {
      throw ScenarioError("unknown change of a write")
    }
  }

  private func create<Class: ScenarioObject>(
    _ type: Class.Type,
    _ identifier: ObjectId,
    _ values: [String: Any]
  ) throws {
    let object = type.init()
    object.identifier = identifier
    for (name, value) in values { try object.assign(name, value, in: realm) }
    realm.add(object)
  }

  private func find<Class: ScenarioObject>(_ type: Class.Type, _ identifier: ObjectId) throws -> Class {
    try realm.found(type, identifier)
  }

  private func describeRejectedWrites() -> String {
    let lines = realm.rejectedWrites.map { write in
      "  \(write.objectType) \(write.primaryKey.objectIdValue?.stringValue ?? "?") \(write.state): \(write.reason)"
    }
    return (["\(lines.count) rejected"] + lines).joined(separator: "\n")
  }

  /// The rejected write to an object.
  private func rejectedWrite(_ className: String, _ step: Step) throws -> RejectedWrite {
    let identifier = try ObjectId(string: step.required("id"))
    let write = realm.rejectedWrites.first {
      $0.objectType == className && $0.primaryKey.objectIdValue == identifier
    }
    guard let write else { throw ScenarioError("there is no rejected write to \(className) \(identifier)") }
    return write
  }

  private func describeLink(_ step: Step) throws -> String {
    let identifier = try ObjectId(string: step.required("id"))
    let property = try step.required("property")
    guard try step.required("class") == "Contact", property == "friend" else {
      throw ScenarioError("only the friend of a Contact is a link")
    }
    let place = "\(property) of \(identifier)"
    switch try find(Contact.self, identifier).linkState(of: \.friend) {
    case .null: return "\(place) is null"
    case .resolved(let friend): return "\(place) leads to \(friend._id)"
    case .outOfView(let key): return "\(place) leads out of view to \(key.objectIdValue?.stringValue ?? "?")"
    }
  }

  private func dump(_ step: Step, in realm: Realm? = nil) throws -> String {
    let className = try step.required("class")
    let objects = try all(step.type, step, in: realm)
    let lines = objects.sorted { $0.identifier < $1.identifier }.map { "  \($0.line)" }
    return (["\(objects.count) \(className)"] + lines).joined(separator: "\n")
  }

  private func match(_ step: Step) throws -> String {
    do {
      let objects = try all(step.type, step)
      let values = objects.map { shown($0[step.text("by") ?? "_id"]) }.joined(separator: ", ")
      let found = "\(objects.count) \(try step.required("class")) where \(step.query)"
      return objects.isEmpty ? found : "\(found): \(values)"
    } catch let error as ScenarioError {
      throw error
    } catch {
      return "failed: \(Device.describe(error))"
    }
  }

  /// A value of a property as a transcript shows it.
  private func shown(_ value: Any?) -> String {
    switch value {
    case nil: "null"
    case let date as Date: "\(Int(date.timeIntervalSince1970))"
    case let decimal as Decimal128: decimal.stringValue
    case let object as any ScenarioObject: object.identifier.stringValue
    case let value?: "\(value)"
    }
  }

  private func objectsAsJSON(_ step: Step) throws -> String {
    let objects = try all(step.type, step).map(\.json)
    return String(decoding: try JSONSerialization.data(withJSONObject: objects), as: UTF8.self)
  }

  private func backlinks(_ step: Step) throws -> String {
    let identifier = try ObjectId(string: step.required("id"))
    let object: any ScenarioObject = try find(step.type, identifier)
    let property = try step.required("property")
    let origins = try object.linking(by: property)
    let text = "\(origins.count) \(try step.required("from")) link to \(identifier) by \(property):"
    return text + origins.map { " \($0)" }.joined()
  }

  private func all<Class: ScenarioObject>(
    _ type: Class.Type,
    _ step: Step,
    in realm: Realm? = nil
  ) throws -> [any ScenarioObject] {
    Array(try objects(type, step, in: realm))
  }

  // MARK: Observing

  private func observe(_ step: Step) throws -> String {
    // Swift programs declare backlinks as a property, by whose name they observe them.
    let keyPaths = (step.any("keyPaths") as? [String])?.map {
      $0.replacing("@links.Contact.friend", with: "friendOf")
    }
    let properties = realm.schema[try step.required("class")]?.properties.map(\.name) ?? []
    let observer = Observer(try step.required("as"), properties: properties)
    observers.append(observer)
    if let text = step.text("id") {
      let object: any ScenarioObject = try find(step.type, ObjectId(string: text))
      if let name = step.text("property") {
        guard let collection = object[name] as? any Observed else {
          throw ScenarioError("'\(name)' is no collection")
        }
        observer.start(collection, keyPaths)
      } else {
        observer.start(object, keyPaths)
      }
    } else {
      observer.start(try observed(step.type, step), keyPaths)
    }
    return "observes \(observer.name)"
  }

  private func observed<Class: ScenarioObject>(_ type: Class.Type, _ step: Step) throws -> any Observed {
    try objects(type, step)
  }

  private func describeChanges() -> String {
    realm.refresh()
    let lines = observers.flatMap { observer in observer.take().map { "\(observer.name): \($0)" } }
    return lines.isEmpty ? "no changes" : lines.joined(separator: "\n")
  }

  // MARK: Waiting

  private func awaitCount(_ step: Step) async throws -> String {
    let className = try step.required("class")
    let wanted = step.number("count")
    var count = 0
    for _ in 0..<400 {
      realm.refresh()
      count = try all(step.type, step).count
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
      return "failed: \(Device.describe(error))"
    }
    realm.refresh()
    return "in sync"
  }

  static func describe(_ error: any Error) -> String {
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
