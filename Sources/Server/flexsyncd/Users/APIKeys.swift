// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncJSON
import FlexSyncServer

/// `flexsyncd users api-keys`.
struct APIKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api-keys",
    abstract: "Server API keys, with which programs log in, and those of users.",
    subcommands: [
      ListAPIKeys.self, CreateAPIKey.self, EnableAPIKey.self, DisableAPIKey.self, DeleteAPIKey.self,
    ]
  )
}

struct ListAPIKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List keys: identifier, state, kind, user, name."
  )

  @OptionGroup var app: AppSelection
  @OptionGroup var output: OutputOptions

  @Option(help: "Whose keys; without it the server keys.")
  var user: String?

  func run() throws {
    try reportingErrors { output.print(try app.open().apiKeys(of: user)) }
  }
}

struct CreateAPIKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a server key, or a key of a user, and print it. It cannot be read again.",
    discussion: "The provider api-key of the app must be on for anybody to log in with it."
  )

  @OptionGroup var app: AppSelection
  @OptionGroup var output: OutputOptions

  @Option(help: "A name that no other server key has, or no other key of the user.")
  var name: String

  @Option(help: "Who logs in with the key; without it a server user of its own.")
  var user: String?

  func run() throws {
    try reportingErrors {
      let administration = try app.open()
      let (key, summary) =
        try user.map { try administration.createAPIKey(name: name, of: $0) }
        ?? administration.createServerAPIKey(name: name)
      guard output.json else { return print(key) }
      print(JSON.object([JSON.Member("key", .string(key))] + (summary.json.objectValue ?? [])).serialized)
    }
  }
}

/// The selection of one API key of an app.
struct APIKeySelection: ParsableArguments {
  @OptionGroup var app: AppSelection

  @Argument(help: "The identifier of the key, or the name of a server key.")
  var key: String
}

struct EnableAPIKey: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "enable", abstract: "Let a key log in again.")

  @OptionGroup var selection: APIKeySelection

  func run() throws {
    try reportingErrors { try selection.app.open().setDisabled(false, apiKey: selection.key) }
  }
}

struct DisableAPIKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Keep a key out; who is logged in with a server key is logged out."
  )

  @OptionGroup var selection: APIKeySelection

  func run() throws {
    try reportingErrors { try selection.app.open().setDisabled(true, apiKey: selection.key) }
  }
}

struct DeleteAPIKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a key; the user of a server key goes with it."
  )

  @OptionGroup var selection: APIKeySelection

  func run() throws {
    try reportingErrors { try selection.app.open().deleteAPIKey(selection.key) }
  }
}
