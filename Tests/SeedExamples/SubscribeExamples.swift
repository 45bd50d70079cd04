// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Testing

/// The examples of "Manage Flexible Sync Subscriptions" that subscribe to the results of a query. The pages in other
/// languages, and the one for all SDKs, have the same ones.
///
/// A test begins with the page's code. What the page says of it follows after a blank line.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SubscribeExamples {
  private func emailPasswordCredentials(app: App) -> Credentials {
    .emailPassword(email: "bob@example.com", password: "password")
  }

  // Feature 2, 3, 6
  @Test func aUserLogsInAndOpensARealmWithoutData() async throws {
    try await Device.run { server in
      try await TaskList.fill(server)
      try await App(id: APPID).emailPasswordAuth.registerUser(email: "bob@example.com", password: "password")
      var opened: Realm?

      let app = App(id: APPID)
      do {
        let credentials = emailPasswordCredentials(app: app)
        let user = try await app.login(credentials: credentials)
        var flexSyncConfig = user.flexibleSyncConfiguration()
        flexSyncConfig.objectTypes = [Task.self, Team.self]
        do {
          // The page leaves this line out.
          opened = try await Realm(configuration: flexSyncConfig)
        } catch {
          print("Failed to open realm: \(error.localizedDescription)")
        }
      } catch {
        fatalError("Login failed: \(error.localizedDescription)")
      }

      let user = try #require(app.currentUser)
      #expect(user.isLoggedIn && !user.id.isEmpty && user.accessToken != nil)
      #expect(app == App(id: APPID))
      let realm = try #require(opened)
      try await realm.syncSession?.wait(for: .download)
      #expect(realm.subscriptions.count == 0)
      #expect(realm.taskNames.isEmpty && realm.teamNames.isEmpty)
    }
  }

  // Feature 11, 23
  @Test func aQueryIsSubscribedToWithoutAName() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let results = try await realm.objects(Task.self)
        .where { $0.progressMinutes >= 60 }.subscribe()

      #expect(results.map(\.taskName).sorted() == ["review", "write"])
      #expect(realm.taskNames == ["review", "write"], "nothing else is on the device")
      #expect(realm.subscriptions.map(\.name) == [nil])
      #expect(realm.subscriptions.first?.queryString == "progressMinutes >= 60")
    }
  }

  // Feature 24
  @Test func aQueryIsSubscribedToWithAName() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let results = try await realm.objects(Team.self)
        .where { $0.teamName == "Developer Education" }
        .subscribe(name: "team_developer_education")

      #expect(results.map(\.teamName) == ["Developer Education"])
      let subscriptions = realm.subscriptions
      #expect(subscriptions.first(named: "team_developer_education")?.objectType == "Team")
      try await realm.objects(Team.self).where { $0.teamName == "Documentation" }
        .subscribe(name: "team_developer_education")
      #expect(realm.subscriptions.count == 1)
      #expect(realm.teamNames == ["Documentation"], "the name has another query now")
    }
  }

  // Feature 25
  @Test func onCreationWaitsForTheDataOfANewSubscription() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let results = try await realm.objects(Team.self)
        .where { $0.members.contains("Bob Smith") }
        .subscribe(
          name: "bob_smith_teams",
          waitForSync: .onCreation
        )
      print("The number of teams that have Bob Smith as a member is \(results.count)")

      #expect(results.count == 1, "as the page says")
      realm.syncSession?.suspend()
      try await results.subscribe(name: "bob_smith_teams", waitForSync: .onCreation, timeout: 10)
      #expect(results.count == 1, "nothing is created, so nothing is waited for")
    }
  }

  // Feature 26, 28
  @Test func alwaysWaitsForAConnectionUntilTheTimeout() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let teams = realm.objects(Team.self)
      #expect(try await teams.subscribe(waitForSync: .always).count == 2)
      realm.syncSession?.suspend()
      let error = await #expect(throws: NSError.self) {
        _ = try await teams.subscribe(waitForSync: .always, timeout: 0.2)
      }
      #expect(error?.domain == NSPOSIXErrorDomain && error?.code == Int(ETIMEDOUT))
      #expect(error?.localizedDescription == "Waiting for update timed out after 0.2 seconds.")
      #expect(realm.subscriptions.count == 1)
      realm.syncSession?.resume()
      #expect(try await teams.subscribe(waitForSync: .always).count == 2)
    }
  }

  // Feature 27, 34
  @Test func neverWaitsForNothing() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      realm.syncSession?.suspend()
      let teams = try await realm.objects(Team.self).subscribe(waitForSync: .never)
      #expect(teams.isEmpty && realm.subscriptions.count == 1 && realm.subscriptions.state == .pending)
      realm.syncSession?.resume()
      try await eventually("the teams") { teams.count == 2 }
    }
  }

  // Feature 21, 31, 33, 98
  @Test func unsubscribingRemovesWhatNoOtherSubscriptionHas() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let results = try await realm.objects(Task.self).where { $0.completed == false }.subscribe()
      try await realm.objects(Task.self).where { $0.progressMinutes >= 60 }.subscribe(name: "long")
      #expect(realm.taskNames == ["plan", "review", "write"])
      results.unsubscribe()

      #expect(realm.subscriptions.map(\.name) == ["long"])
      #expect(results.map(\.taskName).sorted() == ["plan", "review"], "it does not wait")
      try await eventually("the end of the other task") { realm.taskNames == ["review", "write"] }
      #expect(results.map(\.taskName) == ["review"], "the other subscription has it")
    }
  }

  // Feature 35
  @Test func aQueryOfTheMainActorIsSubscribedTo() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig, actor: MainActor.shared)
      let results = try await realm.objects(Team.self)
        .where { $0.teamName == "Developer Education" }
        .subscribe(name: "team_developer_education")

      #expect(results.map(\.teamName) == ["Developer Education"])
    }
  }

  // Feature 41
  @Test func eachSubscribeIsAnUpdateOfItsOwn() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      try await realm.objects(Task.self).subscribe()
      try await realm.objects(Team.self).subscribe()
      #expect(realm.subscriptions.version == 2)
    }
  }

  // Feature 36
  @Test func outsideOfActorsSubscribingIsRefused() async throws {
    try await TaskList.run { flexSyncConfig in
      let error = await #expect(throws: Realm.Error.self) {
        try await subscribeOutsideOfActors(flexSyncConfig)
      }
      #expect(error?.message == "`subscribe` can only be called on main thread or actor-isolated Realms")
    }
  }

  private nonisolated func subscribeOutsideOfActors(_ flexSyncConfig: Realm.Configuration) async throws {
    let realm = try await Realm.open(configuration: flexSyncConfig)
    try await realm.objects(Team.self).subscribe()
  }

  // Feature 36
  @Test func aQueryOfACustomActorIsSubscribedTo() async throws {
    try await TaskList.run { flexSyncConfig in
      let names = try await teamNamesOnCustomActor(flexSyncConfig)
      #expect(names == ["Developer Education"])
    }
  }

  @CustomGlobalActor
  private func teamNamesOnCustomActor(_ flexSyncConfig: Realm.Configuration) async throws -> [String] {
    let realm = try await Realm(configuration: flexSyncConfig, actor: CustomGlobalActor.shared)
    let results = try await realm.objects(Team.self)
      .where { $0.teamName == "Developer Education" }
      .subscribe(name: "team_developer_education")

    return results.map(\.teamName)
  }
}

@globalActor actor CustomGlobalActor: GlobalActor {
  static let shared = CustomGlobalActor()
}
