// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncJSON
import FlexSyncServer

/// `flexsyncd users`.
struct Users: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show and change the users of an app.",
    discussion: """
      Works on the data folder. A server may be running on it: it takes notice within a quarter of a second. USER is the \
      identifier of a user or an e-mail address.
      """,
    subcommands: [
      ListUsers.self, ShowUser.self, CreateUser.self, DeleteUser.self, DisableUser.self, EnableUser.self,
      ConfirmUser.self, ResetPassword.self, SetCustomData.self, RevokeSessions.self, APIKeys.self,
    ]
  )
}

/// Whose users.
struct AppSelection: ParsableArguments {
  @Option(help: ArgumentHelp("The folder for users and data, as for serve.", valueName: "dir"))
  var data: String

  @Option(
    help: ArgumentHelp(
      "The app's identifier or its directory; not needed if there is only one app.",
      valueName: "app"
    )
  )
  var app: String?

  func open() throws -> AccountAdministration { try AccountAdministration(dataFolder: data, app: app) }
}

/// One user of an app.
struct UserSelection: ParsableArguments {
  @OptionGroup var app: AppSelection

  @Argument(help: ArgumentHelp("The user.", valueName: "user"))
  var user: String
}

/// In which form something is printed.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false

  func print(_ summaries: [UserSummary]) {
    guard !json else { return Swift.print(JSON.array(summaries.map(\.json)).serialized) }
    for summary in summaries { Swift.print(summary.line) }
  }

  func print(_ keys: [APIKeySummary]) {
    guard !json else { return Swift.print(JSON.array(keys.map(\.json)).serialized) }
    for key in keys { Swift.print(key.line) }
  }
}

extension UserSummary {
  /// One line for people: identifier, state, providers, e-mail address.
  fileprivate var line: String {
    [id ?? "-", state.rawValue, providers.joined(separator: ","), email ?? "-"].joined(separator: "\t")
  }

  /// All there is to know, a line for each.
  var text: String {
    (json.objectValue ?? []).map { member in
      "\(member.name): \(member.value.stringValue ?? member.value.serialized)"
    }.joined(separator: "\n")
  }
}

extension APIKeySummary {
  fileprivate var line: String {
    [id, isDisabled ? "disabled" : "enabled", isServer ? "server" : "user", userID, name].joined(
      separator: "\t"
    )
  }
}
