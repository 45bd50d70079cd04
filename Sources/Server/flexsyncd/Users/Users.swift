// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncJSON
import FlexSyncServer

/// `flexsyncd users`.
struct Users: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show and change the users of an app.",
    discussion: """
      These commands work on the data folder. A server may be using it: it applies the changes within a quarter of a \
      second. USER is a user's identifier or e-mail address.
      """,
    subcommands: [
      ListUsers.self, ShowUser.self, CreateUser.self, DeleteUser.self, DisableUser.self, EnableUser.self,
      ConfirmUser.self, ResetPassword.self, SetCustomData.self, RevokeSessions.self, APIKeys.self,
    ]
  )
}

/// The app whose users are meant.
struct AppSelection: ParsableArguments {
  @Option(help: ArgumentHelp("The data folder, as for serve.", valueName: "dir"))
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

/// The selection of one user of an app.
struct UserSelection: ParsableArguments {
  @OptionGroup var app: AppSelection

  @Argument(help: ArgumentHelp("The user.", valueName: "user"))
  var user: String
}

/// Options for the output format.
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
  /// A human-readable line: identifier, state, providers and e-mail address.
  fileprivate var line: String {
    [id ?? "-", state.rawValue, providers.joined(separator: ","), email ?? "-"].joined(separator: "\t")
  }

  /// All details, one per line.
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
