// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Tasks as another program knows them. A synced realm lets a program leave properties out.
class PartialTask: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var progressMinutes: Int

  override class func _realmObjectName() -> String? { "Task" }
}

@Suite(.timeLimit(.minutes(15))) @MainActor struct PartialClassTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aPropertyThatTheClassDoesNotHaveIsNotReported() async throws {
    try await TestServer.run { server in
      let user = try await server.app(folder).login(credentials: .anonymous)
      var configuration = user.flexibleSyncConfiguration(
        initialSubscriptions: { $0.append(QuerySubscription<Task>()) }
      )
      configuration.objectTypes = [Task.self]
      let whole = try await Realm(configuration: configuration)
      let task = Task("whole")
      try whole.write { whole.add(task) }
      configuration.objectTypes = [PartialTask.self]
      let partial = try await Realm(configuration: configuration)
      var names: [[String]] = []
      let token = try #require(partial.objects(PartialTask.self).first).observe { change in
        if case .change(_, let properties) = change { names.append(properties.map(\.name)) }
      }
      partial.refresh()
      let changes = [
        { task.taskName = "hidden" }, { task.progressMinutes = 2 },
        { (task.taskName, task.progressMinutes) = ("hidden again", 4) },
      ]
      for change in changes {
        try whole.write(change)
        partial.refresh()
      }
      #expect(names.flatMap { $0 } == ["progressMinutes", "progressMinutes"])
      token.invalidate()
    }
  }
}
