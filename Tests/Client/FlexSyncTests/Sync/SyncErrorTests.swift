// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

/// What an app is told when the server or the library refuses something.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SyncErrorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A configuration of a new user; the errors of its sessions go into the box.
  private func configuration(
    _ server: TestServer,
    _ errors: ErrorBox = ErrorBox(),
    classes: [ObjectBase.Type] = [Task.self, Team.self]
  ) async throws -> Realm.Configuration {
    let app = App(
      id: TestServer.appID,
      configuration: AppConfiguration(baseURL: server.url, storageDirectory: folder.file("device"))
    )
    app.syncManager.errorHandler = { error, _ in errors.add(error) }
    let user = try await app.login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = classes
    return configuration
  }

  private final class ErrorBox: Sendable {
    private let errors = Mutex<[SyncError]>([])

    var all: [SyncError] { errors.withLock { $0 } }

    func add(_ error: any Error) {
      if let error = error as? SyncError { errors.withLock { $0.append(error) } }
    }
  }

  // MARK: Subscriptions

  /// Fails to subscribe, and returns what the update throws.
  private func failure(_ realm: Realm, _ change: @escaping (SyncSubscriptionSet) -> Void) async throws
    -> Realm.Error
  {
    let subscriptions = realm.subscriptions
    let error = await #expect(throws: Realm.Error.self) {
      try await subscriptions.update { change(subscriptions) }
    }
    return try #require(error)
  }

  // Feature 72, 73, 78, 82, 175, 180
  @Test func aRefusedSetIsToldByTheUpdateAndByItsStateAndPausesUntilAGoodOne() async throws {
    try await TestServer.run { server in
      let errors = ErrorBox()
      let realm = try await Realm(configuration: configuration(server, errors))
      let subscriptions = realm.subscriptions
      try await subscriptions.update { subscriptions.append(QuerySubscription<Task>(name: "tasks")) }
      try realm.write { realm.add(Task("kept")) }
      let message =
        "Invalid query: unsupported query for table \"Team\": key \"tasks\" is not a queryable field"
      let error = try await failure(realm) { set in
        set.append(QuerySubscription<Team>(name: "bad", where: "tasks.@count > 3"))
      }
      #expect(error.code == .subscriptionFailed && error.code.rawValue == 18)
      #expect(error.message == message)
      let refused = realm.subscriptions
      guard case .error(let reason) = refused.state else {
        Issue.record("\(refused.state)")
        return
      }
      let stateError = try #require(reason as? SyncError)
      #expect(stateError.code == .invalidFlexibleSyncSubscriptions && stateError.code.rawValue == 10)
      #expect(stateError.message == message && !stateError.isFatal)
      let completion = await withCheckedContinuation { continuation in
        refused.update {
          refused.append(QuerySubscription<Team>(name: "worse", where: "teamName =="))
        } onComplete: { error in
          continuation.resume(returning: error as? Realm.Error)
        }
      }
      #expect(completion?.code == .invalidQuery, "a syntax error is found on the device")
      // The data of the good set stay and sync on; the session has no error.
      try realm.write { realm.add(Task("later")) }
      try await realm.syncSession?.wait(for: .upload)
      #expect(realm.objects(Task.self).map(\.taskName).sorted() == ["kept", "later"])
      #expect(errors.all.isEmpty && realm.syncSession?.state == .active)
      let good = realm.subscriptions
      try await good.update { good.remove(named: "bad") }
      #expect(good.state == .complete)
    }
  }

  // Feature 111
  @Test func aSubscriptionBeyondTheLimitFailsWithLimitsExceeded() async throws {
    try await TestServer.run { server in
      let realm = try await Realm(configuration: configuration(server))
      let subscriptions = realm.subscriptions
      let frame = "assignee == \"\"".utf8.count
      let limit = 262_144 - frame
      // The server gets it in parentheses.
      try await subscriptions.update {
        subscriptions.append(
          QuerySubscription<Task>(where: "assignee == $0", String(repeating: "x", count: limit - 2))
        )
      }
      #expect(subscriptions.state == .complete)
      let error = try await failure(realm) { set in
        set.append(
          QuerySubscription<Team>(where: "teamName == $0", String(repeating: "x", count: limit - 1))
        )
      }
      #expect(error.message.contains("LimitsExceeded"), "\(error.message.suffix(200))")
      #expect(error.message.contains("at most 262144 bytes"), "\(error.message.suffix(200))")
    }
  }

  // Feature 10, 97, 175
  @Test func withoutASubscriptionNothingIsReadAndNothingIsWritten() async throws {
    try await TestServer.run { server in
      let realm = try await Realm(configuration: configuration(server))
      func expectRefusal() {
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.add(Task("x")) } }
        #expect(error?.code == .noSubscriptionForWrite && error?.code.rawValue == 22)
        #expect(
          error?.message
            == "Cannot write to class Task when no flexible sync subscription has been created."
        )
        #expect(realm.objects(Task.self).isEmpty)
      }
      expectRefusal()
      let subscriptions = realm.subscriptions
      try await subscriptions.update { subscriptions.append(QuerySubscription<Task>()) }
      try realm.write { realm.add(Task("one")) }
      try await realm.syncSession?.wait(for: .upload)
      // The empty set becomes complete as any other.
      try await subscriptions.update { subscriptions.removeAll() }
      #expect(subscriptions.state == .complete && subscriptions.count == 0)
      expectRefusal()
      try await subscriptions.update { subscriptions.append(QuerySubscription<Task>()) }
      #expect(realm.objects(Task.self).map(\.taskName) == ["one"])
    }
  }

  // MARK: Sessions

  // Feature 1, 179
  @Test func anAppWhoseSyncIsDisabledWarns() async throws {
    let schema = #"""
      {"title":"Task","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"objectId"}}}
      """#
    let app = try WrittenApp(isEnabled: false, role: WrittenApp.openRole, schemas: ["Task": schema])
    try await TestServer.run(app: app.path) { server in
      let errors = ErrorBox()
      let realm = try await Realm(configuration: configuration(server, errors))
      try await eventually("the warning") { !errors.all.isEmpty }
      let error = try #require(errors.all.first)
      #expect(error.code == .serverWarning && error.code.rawValue == 14)
      #expect(error.message == "Sync is not enabled for this app")
      #expect(realm.objects(Task.self).isEmpty && realm.syncSession?.state == .inactive)
    }
  }

  /// Another process that syncs a file, until this object is gone.
  private final class OtherProcess {
    static let lockProgram = "/usr/bin/flock"
    private let process = Process()
    private let input = Pipe()

    init(syncing file: URL) throws {
      process.executableURL = URL(fileURLWithPath: Self.lockProgram)
      process.arguments = [file.path + ".lock", "sh", "-c", "echo locked; cat"]
      process.standardInput = input
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      _ = output.fileHandleForReading.availableData
    }

    func end() {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  // Feature 139
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: OtherProcess.lockProgram)))
  func aFileThatAnotherProcessSyncsIsSyncedByThisOneAfterwards() async throws {
    try await TestServer.run { server in
      var configuration = try await configuration(server)
      let file = folder.file("shared.realm")
      configuration.fileURL = file
      let other = try OtherProcess(syncing: file)
      let realm = try await Realm(configuration: configuration)
      let session = try #require(realm.syncSession)
      #expect(session.state == .active && !session.isSyncAgent && session.connectionState == .disconnected)
      other.end()
      try await realm.objects(Task.self).subscribe()
      #expect(session.isSyncAgent)
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: OtherProcess.lockProgram)))
  func aFileThatAnotherProcessSyncsIsNotDeleted() throws {
    let file = folder.file("shared.realm")
    let configuration = Realm.Configuration(fileURL: file, objectTypes: [Task.self])
    func create() throws { try Realm(configuration: configuration).write {} }
    try create()
    let other = try OtherProcess(syncing: file)
    let error = #expect(throws: Realm.Error.self) { _ = try Realm.deleteFiles(for: configuration) }
    #expect(error?.code == .multipleSyncAgents && error?.code.rawValue == 17)
    #expect(
      error?.message
        == "Another process syncs '\(file.path)', and the file has to stay until it stops. Close the realm there, or end "
        + "that process, and try again."
    )
    other.end()
    #expect(try Realm.deleteFiles(for: configuration))
  }
}
