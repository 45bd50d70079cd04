// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Testing

/// The examples of "Manage Flexible Sync Subscriptions" that add subscriptions to the set by hand. See
/// `SubscribeExamples`.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SubscriptionSetExamples {
  // Feature 44, 45, 47, 52, 53
  @Test func subscriptionsAreFoundByTheirNameOrTheirQuery() async throws {
    try await TaskList.run { flexSyncConfig in
      let named =
        QuerySubscription<Task>(name: "long-running-completed") {
          $0.completed == true && $0.progressMinutes > 120
        }
      let unnamed =
        QuerySubscription<Team> {
          $0.teamName == "Developer Education"
        }

      let realm = try await Realm(configuration: flexSyncConfig)
      let subscriptions = realm.subscriptions
      try await subscriptions.update { subscriptions.append(named, unnamed) }
      #expect(realm.taskNames == ["write"] && realm.teamNames == ["Developer Education"])
      let byName = try #require(subscriptions.first(named: "long-running-completed"))
      #expect(byName.objectType == "Task" && byName.name == "long-running-completed")
      let byQuery = subscriptions.first(ofType: Team.self) { $0.teamName == "Developer Education" }
      #expect(byQuery?.objectType == "Team" && byQuery?.name == nil)
      #expect(subscriptions.first(ofType: Team.self) { $0.teamName == "Documentation" } == nil)
    }
  }

  // Feature 56, 57, 58
  @Test func duplicatesAreKeptUnderOtherNamesOnly() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let subscriptions = realm.subscriptions
      try await subscriptions.update {
        for name in [nil, nil, "first", "second"] {
          subscriptions.append(QuerySubscription<Team>(name: name))
        }
      }
      #expect(subscriptions.map(\.name) == [nil, "first", "second"])
      let error = await #expect(throws: Realm.Error.self) {
        try await subscriptions.update { subscriptions.append(QuerySubscription<Task>(name: "first")) }
      }
      #expect(
        error?.message == "A subscription named 'first' already exists. If you meant to update the existing "
          + "subscription please use the `update` method."
      )
      #expect(subscriptions.count == 3)
    }
  }

  // Feature 50, 73, 189
  @Test func aSubscriptionIsAdded() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await getRealmWithSingleSubscription()
      @MainActor
      func getRealmWithSingleSubscription() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.append(
            QuerySubscription<Team> {
              $0.teamName == "Developer Education"
            }
          )
        }
        return realm
      }

      #expect(realm.subscriptions.state == .complete)
      #expect(realm.teamNames == ["Developer Education"] && realm.taskNames.isEmpty)
    }
  }

  // Feature 50
  @Test func outsideOfAnUpdateNothingIsAdded() async throws {
    // The program that stops could not end the server.
    try await Device.run { server in
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        @MainActor [url = server.url as String] in
        let device = Device(folder: try TemporaryFolder(), url: url)
        try await Device.$current.withValue(device) {
          let user = try await App(id: APPID).login(credentials: .anonymous)
          let flexSyncConfig = TaskList.configuration(user)
          try await Realm(configuration: flexSyncConfig).subscriptions.append(QuerySubscription<Team>())
        }
      }
      let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(
        output.contains("Can only add, remove, or update subscriptions within a write subscription block."),
        "\(output)"
      )
    }
  }

  // Feature 16
  @Test func aLinkIsEmptyUntilItsTargetIsSubscribedTo() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let teams = try await realm.objects(Team.self).where { $0.teamName == "Developer Education" }
        .subscribe()
      #expect(teams.first?.tasks.isEmpty == true)
      try await realm.objects(Task.self).subscribe()
      #expect(teams.first?.tasks.map(\.taskName) == ["write"])
    }
  }

  // Feature 12, 51
  @Test func subscriptionsOfSeveralTypesAreAddedAtOnce() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await getRealmWithMultipleSubscriptions()
      @MainActor
      func getRealmWithMultipleSubscriptions() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.append(
            QuerySubscription<Task>(name: "completed-tasks") {
              $0.completed == true
            }
          )
          subscriptions.append(
            QuerySubscription<Team> {
              $0.teamName == "Developer Education"
            }
          )
        }
        return realm
      }

      #expect(realm.subscriptions.version == 1 && realm.subscriptions.count == 2)
      #expect(
        "\(realm.subscriptions)"
          == "SyncSubscriptionSet(complete, version 1: [completed-tasks: Task where completed == true, "
          + #"Team where teamName == "Developer Education"])"#
      )
      #expect(realm.taskNames == ["archive", "write"] && realm.teamNames == ["Developer Education"])
    }
  }

  // Feature 11, 67
  @Test func initialSubscriptionsAreThereWhenTheRealmIsOpen() async throws {
    try await Device.run { server in
      try await TaskList.fill(server)
      let user = try await App(id: APPID).login(credentials: .anonymous)

      var flexSyncConfig = user.flexibleSyncConfiguration(initialSubscriptions: { subs in
        subs.append(
          QuerySubscription<Team> {
            $0.teamName == "Developer Education"
          }
        )
      })

      flexSyncConfig.objectTypes = [Task.self, Team.self]
      let realm = try await Realm(configuration: flexSyncConfig, downloadBeforeOpen: .once)
      #expect(realm.subscriptions.count == 1)
      #expect(realm.teamNames == ["Developer Education"])
    }
  }

  // Feature 70
  @Test func initialSubscriptionsDependOnTheTime() async throws {
    try await Device.run { server in
      try await TaskList.fill(server)
      let user = try await App(id: APPID).login(credentials: .anonymous)

      let secondsInAWeek: TimeInterval = 604800
      let dateLastWeek = (Date.now - secondsInAWeek)
      let dateNextWeek = (Date.now + secondsInAWeek)
      var flexSyncConfig = user.flexibleSyncConfiguration(
        initialSubscriptions: { subs in
          subs.append(
            QuerySubscription<Task> {
              $0.dueDate > dateLastWeek && $0.dueDate < dateNextWeek
            }
          )
        },
        rerunOnOpen: true
      )

      flexSyncConfig.objectTypes = [Task.self, Team.self]
      let realm = try await Realm(configuration: flexSyncConfig, downloadBeforeOpen: .once)
      #expect(realm.taskNames == ["review", "write"])
    }
  }

  // Feature 54
  @Test func allObjectsOfATypeAreSubscribedTo() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await subscribeToObjectsOfAType()
      @MainActor
      func subscribeToObjectsOfAType() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.append(QuerySubscription<Team>(name: "all_teams"))
        }
        #expect(subscriptions.count == 1)
        return realm
      }

      #expect(realm.subscriptions.first?.queryString == "TRUEPREDICATE")
      #expect(realm.teamNames == ["Developer Education", "Documentation"])
    }
  }

  // Feature 60
  @Test func aSubscriptionIsAddedUnlessItExists() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await checkAndAddSubscription()
      @MainActor
      func checkAndAddSubscription() async throws -> Realm {
        let realm = try await Realm(configuration: flexSyncConfig)
        let subscriptions = realm.subscriptions
        let foundSubscription = subscriptions.first(named: "user_team")
        try await subscriptions.update {
          if foundSubscription != nil {
            foundSubscription!.updateQuery(
              toType: Team.self,
              where: {
                $0.teamName == "Developer Education"
              }
            )
          } else {
            subscriptions.append(
              QuerySubscription<Team>(name: "user_team") {
                $0.teamName == "Developer Education"
              }
            )
          }
        }
        return realm
      }

      _ = try await checkAndAddSubscription()
      #expect(realm.subscriptions.map(\.name) == ["user_team"])
      #expect(realm.teamNames == ["Developer Education"])
    }
  }

  // Feature 72
  @Test func theCompletionIsCalledWhenTheDataIsThere() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      let outcomes = Recorder<Bool>()

      let subscriptions = realm.subscriptions
      subscriptions.update(
        {
          subscriptions.append(
            QuerySubscription<Task> {
              $0.assignee == "John Doe"
            }
          )
        },
        onComplete: { error in
          if error == nil {
            outcomes.add(true)
          } else {
            outcomes.add(false)
          }
        }
      )

      #expect(realm.subscriptions.count == 1, "on this device, the change is made at once")
      try await eventually("the completion") { !outcomes.all.isEmpty }
      #expect(outcomes.all == [true])
      realm.refresh()
      #expect(realm.taskNames == ["review"])
    }
  }

  // Feature 92
  @Test func aSubscriptionIsRemovedByItsQuery() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      try await realm.objects(Task.self).where { $0.assignee == "Joe Doe" }.subscribe()
      #expect(realm.taskNames == ["archive", "write"])

      // On the page, the name in the second line is misspelled, and Realm's SDK has no `remove` that takes a
      // QuerySubscription. Here it has.
      @MainActor
      func changeSubscription() async throws {
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.remove {
            QuerySubscription<Task> {
              $0.assignee == "Joe Doe"
            }
          }
        }
      }

      try await changeSubscription()
      #expect(realm.subscriptions.count == 0 && realm.taskNames.isEmpty)
    }
  }

  // There is no example for the state. A set is superseded when the server has the next one.
  // Feature 78, 79
  @Test func aSetThatIsFollowedByAnotherIsSuperseded() async throws {
    try await TaskList.run { flexSyncConfig in
      let realm = try await Realm(configuration: flexSyncConfig)
      realm.syncSession?.suspend()
      let first = realm.subscriptions
      first.update({ first.append(QuerySubscription<Task>()) }, onComplete: nil)
      #expect(first.state == .pending)
      let second = realm.subscriptions
      second.update({ second.append(QuerySubscription<Team>()) }, onComplete: nil)
      #expect(second.state == .pending)
      realm.syncSession?.resume()
      try await eventually("the data") { second.state == .complete }
      #expect(first.state == .superseded && realm.subscriptions.state == .complete)
      realm.refresh()
      #expect(realm.taskNames.count == 4 && realm.teamNames.count == 2)
    }
  }
}
