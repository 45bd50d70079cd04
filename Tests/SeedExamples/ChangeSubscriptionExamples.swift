// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Testing

/// The examples of "Manage Flexible Sync Subscriptions" that change and remove subscriptions. See `SubscribeExamples`.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct ChangeSubscriptionExamples {
  /// Runs an example on a device that has subscriptions already.
  private func run(
    _ subscriptions: QuerySubscription<Team>...,
    example: @MainActor (Realm.Configuration) async throws -> Void
  ) async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let set = realm.subscriptions
      try await set.update {
        for subscription in subscriptions { set.append(subscription) }
      }
      try await example(flexSyncConfig)
    }
  }

  // Feature 84, 88
  @Test func aSubscriptionThatIsFoundByItsQueryGetsAnother() async throws {
    try await run(QuerySubscription { $0.teamName == "Developer Education" }) { flexSyncConfig in
      let before = try await Realm(configuration: flexSyncConfig).subscriptions.first

      let realm = try await getRealmWithUpdatedSubscriptions()
      @MainActor
      func getRealmWithUpdatedSubscriptions() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          if let foundSubscription = subscriptions.first(
            ofType: Team.self,
            where: {
              $0.teamName == "Developer Education"
            }
          ) {
            foundSubscription.updateQuery(
              toType: Team.self,
              where: {
                $0.teamName == "Documentation"
              }
            )
          }
        }
        return realm
      }

      let after = realm.subscriptions.first
      #expect(realm.subscriptions.count == 1 && after?.name == nil)
      #expect(after?.queryString == #"teamName == "Documentation""#)
      #expect(after?.createdAt == before?.createdAt)
      #expect(realm.teamNames == ["Documentation"])
    }
  }

  // Feature 85
  @Test func aSubscriptionThatIsFoundByItsNameGetsAnotherQuery() async throws {
    try await run(QuerySubscription(name: "user-team") { $0.teamName == "Developer Education" }) {
      flexSyncConfig in
      let realm = try await getRealmWithUpdatedSubscriptionName()
      @MainActor
      func getRealmWithUpdatedSubscriptionName() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        let foundSubscription = subscriptions.first(named: "user-team")
        try await subscriptions.update {
          foundSubscription?.updateQuery(
            toType: Team.self,
            where: {
              $0.teamName == "Documentation"
            }
          )
        }
        return realm
      }

      #expect(realm.subscriptions.map(\.name) == ["user-team"])
      #expect(realm.teamNames == ["Documentation"])
    }
  }

  // Feature 85
  @Test func anUpdateOfASubscriptionThatIsNotFoundChangesNothing() async throws {
    try await run(QuerySubscription { $0.teamName == "Developer Education" }) { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let subscriptions = realm.subscriptions
      let version = subscriptions.version
      let foundSubscription = subscriptions.first(named: "user-team")
      try await subscriptions.update {
        foundSubscription?.updateQuery(toType: Team.self, where: { $0.teamName == "Documentation" })
      }
      #expect(subscriptions.version == version + 1 && subscriptions.state == .complete)
      #expect(realm.teamNames == ["Developer Education"])
    }
  }

  // Feature 90, 91
  @Test func aSubscriptionIsRemoved() async throws {
    try await run(
      QuerySubscription(name: "docs-team") { $0.teamName == "Documentation" },
      QuerySubscription(name: "existing-subscription") { $0.teamName == "Developer Education" },
      QuerySubscription { $0.members.contains("Bob Smith") }
    ) { flexSyncConfig in
      let realm = try await getRealmAfterRemovingSubscription()
      @MainActor
      func getRealmAfterRemovingSubscription() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        let foundSubscription = subscriptions.first(named: "docs-team")
        try await subscriptions.update {
          subscriptions.remove(foundSubscription!)
        }
        try await subscriptions.update {
          subscriptions.remove(named: "existing-subscription")
        }
        return realm
      }

      #expect(realm.subscriptions.map(\.name) == [nil])
      #expect(realm.teamNames == ["Developer Education"], "Bob's team stays")
      let subscriptions = realm.subscriptions
      try await subscriptions.update { subscriptions.remove(named: "existing-subscription") }
      #expect(subscriptions.count == 1, "what is not there need not be removed")
    }
  }

  // Feature 94
  @Test func allSubscriptionsToATypeAreRemoved() async throws {
    try await run(QuerySubscription(), QuerySubscription(name: "named")) { flexSyncConfig in
      try await Realm(configuration: flexSyncConfig).objects(Task.self).subscribe(name: "tasks")

      let realm = try await getRealmAfterRemovingAllSubscriptionsToAnObjectType()
      @MainActor
      func getRealmAfterRemovingAllSubscriptionsToAnObjectType() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.removeAll(ofType: Team.self)
        }
        return realm
      }

      #expect(realm.subscriptions.map(\.name) == ["tasks"])
      #expect(realm.teamNames.isEmpty && realm.taskNames.count == 4)
    }
  }

  // Feature 11, 95
  @Test func allUnnamedSubscriptionsAreRemoved() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let results = try await realm.objects(Team.self).where { $0.teamName == "Developer Education" }
        .subscribe(name: "team_developer_education")
      let results2 = try await realm.objects(Task.self).where { $0.completed == false }.subscribe()
      #expect(results.count == 1 && results2.count == 2 && realm.subscriptions.count == 2)
      let subscriptions = realm.subscriptions
      try await subscriptions.update {
        subscriptions.removeAll(unnamedOnly: true)
      }

      #expect(realm.subscriptions.map(\.name) == ["team_developer_education"])
      #expect(results.count == 1 && results2.isEmpty)
    }
  }

  // The page says that a realm without subscriptions gives an error. The set itself is fine: it is complete, and the
  // data is gone. What fails are writes.
  // Feature 10, 96, 97
  @Test func withoutSubscriptionsOnlyWritingFails() async throws {
    try await run(QuerySubscription(), QuerySubscription(name: "named")) { flexSyncConfig in
      let realm = try await getRealmAfterRemovingAllSubscriptions()
      @MainActor
      func getRealmAfterRemovingAllSubscriptions() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.removeAll()
        }
        return realm
      }

      #expect(realm.subscriptions.count == 0 && realm.subscriptions.state == .complete)
      #expect(realm.teamNames.isEmpty)
      let error = #expect(throws: Realm.Error.self) {
        try realm.write { realm.create(Team.self, value: ["teamName": "nobody's"]) }
      }
      #expect(error?.code == .noSubscriptionForWrite)
      #expect(realm.teamNames.isEmpty)
    }
  }
}
