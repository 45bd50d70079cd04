// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

/// Devices and a server in a process of its own, as an app uses them.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct SyncTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String, on server: TestServer) async throws -> Realm {
    let app = server.app(folder, device: name)
    let user = try await app.login(credentials: .anonymous)
    var realmConfiguration = user.flexibleSyncConfiguration()
    realmConfiguration.objectTypes = [Task.self, Team.self]
    return try await Realm(configuration: realmConfiguration)
  }

  private func subscribe(_ realm: Realm, _ condition: (Query<Task>) -> Query<Bool>) async throws {
    let subscriptions = realm.subscriptions
    // The condition does not escape: in a class it may use members without naming self.
    let subscription = QuerySubscription<Task>(query: condition)
    try await subscriptions.update {
      subscriptions.removeAll()
      subscriptions.append(subscription)
    }
  }

  // Feature 101
  @Test func aConditionInSwiftDecidesWhatArrives() async throws {
    try await TestServer.run { server in
      let first = try await open("first", on: server)
      try await subscribe(first) { $0.progressMinutes >= 0 }
      try first.write {
        for minutes in [5, 50, 500] { first.add(Task("task \(minutes)", minutes: minutes)) }
      }
      try await first.syncSession?.wait(for: .upload)

      let second = try await open("second", on: server)
      try await subscribe(second) { $0.progressMinutes.contains(10...100) || $0.taskName.ends(with: "500") }
      #expect(second.objects(Task.self).sorted(by: \.progressMinutes).map(\.progressMinutes) == [50, 500])
      try await subscribe(second) { !($0.progressMinutes.in([50, 500])) }
      #expect(second.objects(Task.self).map(\.progressMinutes) == [5])
    }
  }

  // Feature 19
  @Test func aLinkInASubscriptionFailsTheUpdateWithTheReason() async throws {
    try await TestServer.run { server in
      let realm = try await open("first", on: server)
      let subscriptions = realm.subscriptions
      await #expect {
        try await subscriptions.update {
          subscriptions.append(QuerySubscription<Team> { $0.tasks.count > 3 })
        }
      } throws: { error in
        "\(error)".contains("tasks")
      }
      #expect(realm.objects(Team.self).isEmpty)
    }
  }

  // Feature 152, 153
  @Test func theProgressOfATransferGrowsToItsEnd() async throws {
    try await TestServer.run { server in
      let realm = try await open("first", on: server)
      try await subscribe(realm) { $0.progressMinutes >= 0 }
      let session = try #require(realm.syncSession)
      try await session.wait(for: .upload)
      session.suspend()
      try realm.write { for number in 0..<5 { realm.add(Task("task \(number)")) } }
      let outstanding = Mutex<[SyncSession.Progress]>([])
      let always = Mutex<[SyncSession.Progress]>([])
      let tokens = [
        session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) { progress in
          outstanding.withLock { $0.append(progress) }
        },
        session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { progress in
          always.withLock { $0.append(progress) }
        },
      ]
      session.resume()
      try await eventually("the end") { outstanding.withLock { $0.last?.isTransferComplete == true } }
      let estimates = outstanding.withLock { $0.map(\.progressEstimate) }
      #expect(estimates.first == 0 && estimates.last == 1 && estimates == estimates.sorted())
      try realm.write { realm.add(Task("later")) }
      try await eventually("a second end") { always.withLock { $0.count(where: \.isTransferComplete) == 2 } }
      #expect(outstanding.withLock { $0.count } == estimates.count)
      for token in tokens { token?.invalidate() }
      let count = always.withLock { $0.count }
      try realm.write { realm.add(Task("unobserved")) }
      try await session.wait(for: .upload)
      #expect(always.withLock { $0.count } == count)
    }
  }
}
