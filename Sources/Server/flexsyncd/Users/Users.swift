// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncJSON
import FlexSyncServer
import FlexSyncServerStore

/// `flexsyncd users`.
struct Users: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show and change the users of an app.",
    discussion: """
      These commands work on the data folder. A server may be using it: it applies the changes within a quarter of a \
      second. USER is a user's identifier, or the address of an email/password account.
      """,
    subcommands: [
      ListUsers.self, ShowUser.self, CreateUser.self, DeleteUser.self, DisableUser.self, EnableUser.self,
      ConfirmUser.self, ResetPassword.self, SetCustomData.self, RevokeSessions.self, APIKeys.self,
    ]
  )
}

/// The app whose users are meant.
struct AppSelection: ParsableArguments {
  @OptionGroup var folder: DataFolderOption

  @Option(
    help: ArgumentHelp(
      "The app's identifier or its directory; not needed if there is only one app.",
      valueName: "app"
    )
  )
  var app: String?

  func open() throws -> AccountAdministration { try AccountAdministration(dataFolder: folder.data, app: app) }
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

  func print(_ entries: [some ListEntry]) {
    guard !json else { return Swift.print(JSON.array(entries.map(\.json)).serialized) }
    for entry in entries { Swift.print(entry.columns.joined(separator: "\t")) }
  }
}

/// An entry of a list, printed as JSON or as a line.
protocol ListEntry {
  var json: JSON { get }
  /// The columns of the line, which people read.
  var columns: [String] { get }
}

extension ListEntry {
  /// All details but those named, one per line.
  func details(except omitted: String? = nil) -> String {
    (json.objectValue ?? []).filter { $0.name != omitted }.map { member in
      "\(member.name): \(member.value.stringValue ?? member.value.serialized)"
    }.joined(separator: "\n")
  }
}

extension UserSummary: ListEntry {
  var columns: [String] { [id ?? "-", state.rawValue, providers.joined(separator: ","), email ?? "-"] }
}

extension APIKeyRecord: ListEntry {
  var columns: [String] {
    [id, isDisabled ? "disabled" : "enabled", isServer ? "server" : "user", userID, name]
  }
}

extension AppSummary: ListEntry {
  var columns: [String] { [id, "\(userCount)", "\(clientFileCount)", "\(byteCount)"] }
}
