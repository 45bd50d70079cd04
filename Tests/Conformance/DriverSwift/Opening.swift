// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// The step `open`: which realm, and how.
@MainActor
struct Opening {
  private let data: URL
  private let step: Step

  init(_ data: URL, _ step: Step) {
    self.data = data
    self.step = step
  }

  /// The file that a scenario names.
  static func file(_ name: String, in data: URL) -> URL { data.appendingPathComponent("\(name).realm") }

  private var isLocal: Bool { step.text("local") != nil || step.text("inMemory") != nil }

  /// What a transcript calls the realm.
  var name: String {
    get throws { try step.text("local") ?? step.text("inMemory") ?? "as \(step.required("user"))" }
  }

  func open(_ app: App) async throws -> Realm {
    var configuration = isLocal ? localConfiguration : try await syncedConfiguration(app)
    configuration.readOnly = step.flag("readOnly") ?? false
    if let seed = step.text("seed") { configuration.seedFilePath = Opening.file(seed, in: data) }
    return try await Realm(configuration: configuration, downloadBeforeOpen: behavior)
  }

  func deleteFiles() throws -> String {
    do {
      let isDeleted = try Realm.deleteFiles(for: localConfiguration)
      return "\(isDeleted ? "deleted the" : "there are no") files of \(try step.required("local"))"
    } catch {
      return "failed: \(Device.describe(error))"
    }
  }

  private var behavior: Realm.OpenBehavior {
    switch step.text("wait") {
    case nil: .never
    case "once": .once
    default: .always
    }
  }

  private var localConfiguration: Realm.Configuration {
    var configuration = Realm.Configuration(inMemoryIdentifier: step.text("inMemory"))
    if let name = step.text("local") { configuration.fileURL = Opening.file(name, in: data) }
    configuration.objectTypes = scenarioClasses.map { $0.1 }
    return configuration
  }

  private func syncedConfiguration(_ app: App) async throws -> Realm.Configuration {
    var user = app.currentUser
    if user == nil { user = try await logIn(app, step.required("user")) }
    guard let user else { throw ScenarioError("nobody is logged in") }
    var configuration = user.flexibleSyncConfiguration(
      clientResetMode: try resetMode,
      initialSubscriptions: try initialSubscriptions
    )
    configuration.objectTypes = scenarioClasses.map { $0.1 } + [Reading.self]
    configuration.syncConfiguration?.startsSuspended = step.flag("offline") ?? false
    configuration.syncConfiguration?.refusesUnsubscribedObjects = step.flag("refuse") ?? false
    return configuration
  }

  private func logIn(_ app: App, _ name: String) async throws -> User {
    let email = "\(name)@example.com"
    let credentials = Credentials.emailPassword(email: email, password: "password")
    do {
      return try await app.login(credentials: credentials)
    } catch let error as AppError where error.code == .invalidPassword {
      try await app.emailPasswordAuth.registerUser(email: email, password: "password")
      return try await app.login(credentials: credentials)
    }
  }

  private var resetMode: ClientResetMode {
    get throws {
      switch step.text("reset") {
      case nil: .manual()
      case "discard": .discardUnsyncedChanges()
      case "recover": .recoverUnsyncedChanges()
      case let name?: throw ScenarioError("unknown reset '\(name)'")
      }
    }
  }

  private var initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? {
    get throws {
      let initial = step.steps("initial")
      if initial.isEmpty { return nil }
      let all = try initial.map { (type: try $0.type, query: $0.query, name: $0.text("name")) }
      return { subscriptions in
        for one in all { Opening.append(one.type, one.query, one.name, to: subscriptions) }
      }
    }
  }

  private nonisolated static func append<Class: ScenarioObject>(
    _ type: Class.Type,
    _ query: String,
    _ name: String?,
    to subscriptions: SyncSubscriptionSet
  ) {
    subscriptions.append(QuerySubscription<Class>(name: name, where: query))
  }
}
