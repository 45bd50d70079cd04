// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation

/// The data of the page on managing subscriptions: the task list of an organisation.
@MainActor enum TaskList {
  /// Runs an example with a server that has the data, and with the configuration of a user who has logged in.
  static func run(_ example: @MainActor (Realm.Configuration) async throws -> Void) async throws {
    try await Device.run { server in
      try await fill(server)
      let user = try await App(id: APPID).login(credentials: .anonymous)
      try await example(configuration(user))
    }
  }

  static func configuration(_ user: User) -> Realm.Configuration {
    var flexSyncConfig = user.flexibleSyncConfiguration()
    flexSyncConfig.objectTypes = [Task.self, Team.self]
    return flexSyncConfig
  }

  /// Puts the data on the server, from another device.
  static func fill(_ server: TestServer) async throws {
    let folder = try TemporaryFolder()
    let user = try await server.app(folder).login(credentials: .anonymous)
    let realm = try await Realm(configuration: configuration(user))
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      subscriptions.append(QuerySubscription<Task>(), QuerySubscription<Team>())
    }
    try realm.write {
      add(teams, tasks, to: realm)
    }
    try await realm.syncSession?.wait(for: .upload)
  }

  private static func add(_ teams: [[String: Any]], _ tasks: [[String: Any]], to realm: Realm) {
    for team in teams { realm.create(Team.self, value: team) }
    for task in tasks { realm.create(Task.self, value: task) }
    let first = realm.objects(Team.self).first { $0.teamName == "Developer Education" }
    first?.tasks.append(objectsIn: realm.objects(Task.self).filter { $0.taskName == "write" })
  }

  private static let teams: [[String: Any]] = [
    ["teamName": "Developer Education", "members": ["Bob Smith", "Jane Doe"]],
    ["teamName": "Documentation", "members": ["Jane Doe"]],
  ]

  private static var tasks: [[String: Any]] {
    let day: TimeInterval = 24 * 3600
    return [
      task("write", "Joe Doe", completed: true, minutes: 150, due: day),
      task("review", "John Doe", completed: false, minutes: 60, due: -day),
      task("plan", nil, completed: false, minutes: 10, due: 30 * day),
      task("archive", "Joe Doe", completed: true, minutes: 5, due: -30 * day),
    ]
  }

  private static func task(
    _ name: String,
    _ assignee: String?,
    completed: Bool,
    minutes: Int,
    due seconds: TimeInterval
  ) -> [String: Any] {
    [
      "taskName": name, "assignee": assignee as Any, "completed": completed, "progressMinutes": minutes,
      "dueDate": Date(timeIntervalSinceNow: seconds),
    ]
  }
}

extension Realm {
  /// The names of the tasks on the device, in alphabetical order.
  var taskNames: [String] { objects(Task.self).map(\.taskName).sorted() }

  /// The names of the teams on the device, in alphabetical order.
  var teamNames: [String] { objects(Team.self).map(\.teamName).sorted() }
}
