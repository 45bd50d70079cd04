// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Testing

extension User {
  /// The page is older than Flexible Sync, and there is no partition-based sync here. As Docs/Compatibility.md advises,
  /// the partition becomes a field, and a subscription selects its value.
  fileprivate func configuration(partitionValue: String) -> Realm.Configuration {
    flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<Task> { $0.assignee == partitionValue })
    })
  }
}

/// The Swift examples of "Sync Changes Between Devices".
///
/// The page's code is in functions that are not asynchronous, as it was before Swift had asynchronous functions: in
/// others, `Realm(configuration:)` is the initialiser that has to be awaited. The `default` of its switches is left out,
/// because here they name all cases.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SyncBetweenDevicesExamples {
  nonisolated private static let partitionValue = "Joe Doe"

  /// Runs an example with a server that has tasks, and with a user who has logged in.
  private func run(_ example: @MainActor (TestServer, App, Realm.Configuration) async throws -> Void)
    async throws
  {
    try await Device.run { server in
      try await TaskList.fill(server)
      let app = App(id: YOUR_APP_SERVICES_APP_ID)
      _ = try await app.login(credentials: .anonymous)
      try await example(server, app, configuration(of: app))
    }
  }

  private func configuration(of app: App) -> Realm.Configuration {
    let user = app.currentUser
    let partitionValue = Self.partitionValue
    var configuration = user!.configuration(partitionValue: partitionValue)
    configuration.objectTypes = [Task.self, Team.self]
    return configuration
  }

  // MARK: Opening

  // The page uses the user at once, before the login that it has started can be over. It works as soon as it is.
  private func logIn() async throws -> App {
    let app = App(id: YOUR_APP_SERVICES_APP_ID)
    app.login(credentials: Credentials.anonymous) { (result) in
      switch result {
      case .failure(let error):
        fatalError("Login failed: \(error.localizedDescription)")
      case .success:
        print("Successfully logged in to app")
      }
    }

    try await eventually("the login") { app.currentUser != nil }
    return app
  }

  // Feature 141, 144
  @Test func aRealmIsOpenedAtOnceAndFillsInTheBackground() async throws {
    try await Device.run { server in
      try await TaskList.fill(server)
      let app = try await logIn()
      let configuration = configuration(of: app)

      func open() -> Realm {
        let realm = try! Realm(configuration: configuration)
        print("Opened realm: \(realm)")
        return realm
      }

      let realm = open()
      let tasks = realm.objects(Task.self)
      try await eventually("the tasks") { tasks.count == 2 }
      #expect(realm.taskNames == ["archive", "write"])
    }
  }

  // Feature 142, 143
  @Test func aRealmIsDownloadedBeforeItIsOpened() async throws {
    try await Device.run { server in
      try await TaskList.fill(server)
      let app = try await logIn()
      let configuration = configuration(of: app)
      let opened = Recorder<[String]>()

      Realm.asyncOpen(configuration: configuration) { result in
        switch result {
        case .failure(let error):
          print("Failed to open realm: \(error.localizedDescription)")
        case .success(let realm):
          print("Successfully opened realm: \(realm)")
          opened.add(realm.taskNames)
        }
      }

      try await eventually("the realm") { !opened.all.isEmpty }
      #expect(opened.all == [["archive", "write"]])
    }
  }

  // Feature 5, 22, 148
  @Test func aUserWhoIsLoggedInOpensTheRealmWithoutANetwork() async throws {
    try await run { server, app, configuration in
      _ = try await Realm(configuration: configuration, downloadBeforeOpen: .once)

      func open() -> [String] {
        if app.currentUser != nil {
          let offlineRealm = try! Realm(configuration: configuration)
          print("Opened realm: \(offlineRealm)")
          return offlineRealm.taskNames
        } else {
          print("Current user is not logged in.")
          return []
        }
      }

      try server.whileStopped { #expect(open() == ["archive", "write"]) }
    }
  }

  // Feature 142, 145, 156
  @Test func aRealmIsOpenedWithTheNewestDataOnceThereIsAConnection() async throws {
    try await run { _, _, configuration in
      let opened = Recorder<[String]>()

      func open() -> (Realm, NotificationToken) {
        let syncedRealm = try! Realm(configuration: configuration)
        let syncSession = syncedRealm.syncSession!
        let observer = syncSession.observe(\.connectionState, options: [.initial]) { (syncSession, change) in
          switch syncSession.connectionState {
          case .connecting:
            print("Connecting...")
          case .connected:
            print("Connected")
            Realm.asyncOpen(configuration: configuration) { result in
              switch result {
              case .failure(let error):
                print("Failed to open realm: \(error.localizedDescription)")
              case .success(let realm):
                print("Successfully opened realm: \(realm)")
                opened.add(realm.taskNames)
              }
            }
          case .disconnected:
            print("Can't open the app because there is no network connection.")
          }
        }
        return (syncedRealm, observer)
      }

      let (realm, observer) = open()
      try await eventually("the realm") { opened.all.contains(["archive", "write"]) }
      #expect(realm.syncSession?.connectionState == .connected)
      observer.invalidate()
    }
  }

  // MARK: Sessions

  // Feature 151
  @Test func aSessionIsSuspendedAndResumed() async throws {
    try await run { _, _, configuration in
      let syncedRealm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
      let syncSession = syncedRealm.syncSession!
      syncSession.suspend()

      #expect(syncSession.state == .inactive)
      try await eventually("the end of the connection") { syncSession.connectionState == .disconnected }

      syncSession.resume()

      try await eventually("the connection") { syncSession.connectionState == .connected }
      #expect(syncSession.state == .active)
    }
  }

  // The page reads numbers of bytes, which later versions of the SDK advise against. The estimate took their place.
  // Feature 152
  @Test func theProgressOfAnUploadIsReported() async throws {
    try await run { _, _, configuration in
      let estimates = Recorder<Double>()
      let syncedRealm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)

      func upload() -> NotificationToken? {
        let syncSession = syncedRealm.syncSession!
        let token = syncSession.addProgressNotification(
          for: .upload,
          mode: .forCurrentlyOutstandingWork
        ) { (progress) in

          let transferPercent = progress.progressEstimate * 100
          print("Uploaded \(transferPercent)%")
          estimates.add(progress.progressEstimate)
        }
        try! syncedRealm.write {
          syncedRealm.add(Task())
        }
        return token
      }

      let token = try #require(upload())
      try await eventually("the end of the transfer") { estimates.all.last == 1 }
      token.invalidate()
    }
  }

  // The page mentions Combine as another way to observe, which exists on Apple's systems only.
  // Feature 155, 156
  @Test func theConnectionIsReadAndObserved() async throws {
    try await run { _, _, configuration in
      let states = Recorder<SyncSession.ConnectionState>()
      let syncedRealm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
      let syncSession = syncedRealm.syncSession!
      try await eventually("the connection") { syncSession.connectionState == .connected }

      let connectionState = syncSession.connectionState
      let observer = syncSession.observe(\.connectionState, options: [.initial]) { (syncSession, change) in
        switch syncSession.connectionState {
        case .connecting:
          print("Connecting...")
        case .connected:
          print("Connected")
        case .disconnected:
          print("Disconnected")
        }
        states.add(change.newValue ?? .disconnected)
      }

      #expect(connectionState == .connected && states.all == [.connected])
      syncSession.suspend()
      try await eventually("the end of the connection") { states.all.last == .disconnected }
      syncSession.resume()
      try await eventually("the connection") { states.all.last == .connected }
      #expect(states.all == [.connected, .disconnected, .connecting, .connected])
      observer.invalidate()
    }
  }

  // MARK: Errors, logs and files

  // Feature 158, 159
  @Test func theErrorHandlerGetsTheErrorsOfSessions() async throws {
    try await run { _, _, configuration in
      let errors = Recorder<SyncError.Code?>()

      let app = App(id: YOUR_APP_SERVICES_APP_ID)
      app.syncManager.errorHandler = { error, session in
        errors.add(session == nil ? nil : (error as? SyncError)?.code)
      }

      let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
      // Nobody's task is in nobody's subscription.
      try realm.write { realm.add(Task()) }
      try await eventually("the error") { !errors.all.isEmpty }
      #expect(errors.all == [.writeRejected])
    }
  }

  // Feature 162, 163, 164
  @Test func theFilesOfARealmAreDeletedAndDownloadedAgain() async throws {
    try await run { _, _, opened in
      try autoreleasepool {
        let realm = try Realm(configuration: opened)
        let error = #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: opened) }
        #expect(error?.code == .alreadyOpen)
        withExtendedLifetime(realm) {}
      }

      func delete() -> Bool {
        do {
          let app = App(id: YOUR_APP_SERVICES_APP_ID)
          var configuration = app.currentUser!.configuration(partitionValue: Self.partitionValue)
          configuration.objectTypes = [Task.self]
          return try Realm.deleteFiles(for: configuration)
        } catch {
          return false
        }
      }

      #expect(Realm.fileExists(for: opened))
      #expect(delete())
      #expect(!Realm.fileExists(for: opened))
      #expect(!delete(), "there is nothing left")
      let realm = try await Realm(configuration: opened, downloadBeforeOpen: .once)
      #expect(realm.taskNames == ["archive", "write"])
    }
  }

  // Feature 160
  @Test func theLevelOfTheLogIsSet() async throws {
    try await run { _, _, configuration in
      let before = Logger.shared
      defer { Logger.shared = before }
      let lines = Recorder<String>()
      Logger.shared = Logger(level: .off) { _, line in lines.add(line) }

      let app = App(id: YOUR_APP_SERVICES_APP_ID)
      let syncManager = app.syncManager
      syncManager.logLevel = .debug

      #expect(syncManager.logLevel == .debug)
      _ = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
      let name = try #require(configuration.syncConfiguration).user.id
      #expect(lines.all.contains { $0.contains(name) && $0.hasSuffix(": connected") }, "\(lines.all)")
    }
  }
}
