// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// A task tracker on the command line, in Swift: one command per run; data and login stay on disk between runs. It does
/// what Bindings/C/tasks.c does.
@main
@MainActor
struct Tasks {
  static let usage = """
    usage: tasks-swift --server URL --app ID --data DIR [--offline] COMMAND
      register EMAIL PASSWORD      make an account
      login [EMAIL PASSWORD]       log in; without arguments anonymously
      logout
      subscribe NAME QUERY         keep the tasks that match on this device
      unsubscribe NAME
      subscriptions                show the subscriptions and their state
      list [QUERY]                 show tasks on this device
      count [QUERY]
      add NAME [ASSIGNEE MINUTES]  add a task
      complete ID                  mark a task as completed
      sync                         wait until both sides have everything
      watch SECONDS                show changes as they arrive
    """

  static func main() async {
    guard let options = Options(CommandLine.arguments.dropFirst()) else { fail(usage) }
    do {
      try await run(options)
    } catch {
      fail("tasks-swift: \(error)")
    }
  }

  private static func run(_ options: Options) async throws {
    let configuration = AppConfiguration(
      baseURL: options.server,
      storageDirectory: URL(fileURLWithPath: options.data)
    )
    let app = try App(opening: options.app, configuration: configuration)
    app.syncManager.errorHandler = { error, _ in
      FileHandle.standardError.write(Data("sync: \(error)\n".utf8))
      for write in (error as? SyncError)?.compensatingWriteInfo ?? [] {
        FileHandle.standardError.write(Data("sync: reverted \(write.objectType!): \(write.reason!)\n".utf8))
      }
    }
    switch (options.command, options.arguments.count) {
    case ("register", 2):
      try await app.emailPasswordAuth.registerUser(
        email: options.arguments[0],
        password: options.arguments[1]
      )
      print("registered \(options.arguments[0])")
    case ("login", 0): print("logged in as \(try await app.login(credentials: .anonymous).id)")
    case ("login", 2):
      let credentials = Credentials.emailPassword(email: options.arguments[0], password: options.arguments[1])
      print("logged in as \(try await app.login(credentials: credentials).id)")
    case ("logout", 0):
      guard let user = app.currentUser else { fail("tasks-swift: nobody is logged in on this device") }
      try await user.logOut()
      print("logged out")
    default:
      guard let user = app.currentUser else {
        fail("tasks-swift: nobody is logged in on this device; use 'login' first")
      }
      try await TaskList(user, isOffline: options.isOffline).run(options)
    }
  }
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(1)
}

struct Options {
  var server = ""
  var app = ""
  var data = ""
  var isOffline = false
  var command = ""
  var arguments: [String] = []

  init?(_ words: some Sequence<String>) {
    var words = Array(words)[...]
    while let word = words.first, word.hasPrefix("--") {
      words.removeFirst()
      guard word != "--offline" else {
        isOffline = true
        continue
      }
      guard let value = words.popFirst() else { return nil }
      switch word {
      case "--server": server = value
      case "--app": app = value
      case "--data": data = value
      default: return nil
      }
    }
    guard let command = words.popFirst(), !server.isEmpty, !app.isEmpty, !data.isEmpty else { return nil }
    self.command = command
    arguments = Array(words)
  }
}
