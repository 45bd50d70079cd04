// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Testing

// What README.md has in its program, apart from the model, which is in Models.swift.

struct Tracker {
  @MainActor static func main() async throws {
    let app = App(id: "tasktracker-abcde", configuration: AppConfiguration(baseURL: "http://localhost:9090"))
    let user = try await app.login(credentials: .anonymous)
    let realm = try await Realm(configuration: user.flexibleSyncConfiguration())

    // From now on, the tasks that are not completed are on this device.
    let open = try await realm.objects(Task.self).where { $0.completed == false }.subscribe(name: "open")

    let task = Task()
    task.taskName = "Write the report"
    task.dueDate = .now
    try realm.write { realm.add(task) }  // on disk when this returns; uploaded when there is a connection

    for task in open.sorted(byKeyPath: "taskName") {
      print(task.taskName)
    }
    try await realm.syncSession?.wait(for: .upload)  // because the program ends
  }
}

// MARK: - What stands for the surroundings of the program

private let printed = Recorder<String>()

private func print(_ line: String) { printed.add(line) }

/// In place of the settings of a program that has the machine for itself.
// swift-format-ignore: AlwaysUseLowerCamelCase
private func AppConfiguration(baseURL: String) -> FlexSync.AppConfiguration { App(id: APPID).configuration }

@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct ReadmeExample {
  @Test func theProgramPrintsWhatIsOpenAndUploadsWhatItWrites() async throws {
    try await Device.run { server in
      try await TaskList.fill(server)
      try await Tracker.main()
      #expect(printed.all == ["Write the report", "plan", "review"])
      // It may be started again.
      try await Tracker.main()
      #expect(printed.all.dropFirst(3) == ["Write the report", "Write the report", "plan", "review"])
      let folder = try TemporaryFolder()
      let elsewhere = try await server.app(folder).login(credentials: .anonymous)
      let realm = try await Realm(configuration: TaskList.configuration(elsewhere))
      let reports = try await realm.objects(Task.self).where { $0.taskName == "Write the report" }.subscribe()
      #expect(reports.count == 2)
      withExtendedLifetime(folder) {}
    }
  }

  @Test func theReadmeHasThisProgram() throws {
    let readme = try String(contentsOfFile: "README.md", encoding: .utf8)
    let program = try #require(readme.firstMatch(of: /```swift\n(import FlexSync\n(?s:.*?))```/)?.1)
    let parts = program.replacing("@main ", with: "").split(separator: "\n\n").map(String.init)
    let sources = try ["Models.swift", "ReadmeExample.swift"]
      .map { try String(contentsOfFile: "Tests/SeedExamples/\($0)", encoding: .utf8) }.joined()
    for part in parts { #expect(sources.contains(part), "\(part)") }
  }
}
