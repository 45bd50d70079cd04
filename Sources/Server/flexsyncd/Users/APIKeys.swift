// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncServer

/// `flexsyncd users api-keys`.
struct APIKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api-keys",
    abstract: "Manage server API keys, with which programs log in, and users' API keys.",
    subcommands: [
      ListAPIKeys.self, CreateAPIKey.self, EnableAPIKey.self, DisableAPIKey.self, DeleteAPIKey.self,
    ]
  )
}

struct ListAPIKeys: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List keys: identifier, state, kind, user, name."
  )

  @OptionGroup var app: AppSelection
  @OptionGroup var output: OutputOptions

  @Option(help: "The user whose keys to list; without it, the server keys.")
  var user: String?

  func perform() throws { output.print(try app.open().apiKeys(of: user)) }
}

struct CreateAPIKey: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a server key or a user's key, and print it. It cannot be displayed again.",
    discussion: "Logins with the key require that the app's api-key provider is enabled."
  )

  @OptionGroup var app: AppSelection
  @OptionGroup var output: OutputOptions

  @Option(help: "A name that is unique among the server keys, or among the user's keys.")
  var name: String

  @Option(help: "The user who logs in with the key; without it, the key gets its own server user.")
  var user: String?

  func validate() throws {
    guard user == nil ? !name.isEmpty : APIKeyName.isValid(name) else {
      throw ValidationError(
        user == nil ? "--name is empty; give the key a name" : "--name \"\(name)\": \(APIKeyName.rule)"
      )
    }
  }

  func perform() throws {
    let administration = try app.open()
    let (key, record) =
      try user.map { try administration.createAPIKey(name: name, of: $0) }
      ?? administration.createServerAPIKey(name: name)
    printWarning(administration.warning(about: .apiKey))
    guard output.json else { return print(key) }
    print(JSON.object([JSON.Member("key", .string(key))] + (record.json.objectValue ?? [])).serialized)
  }
}

/// The selection of one API key of an app.
struct APIKeySelection: ParsableArguments {
  @OptionGroup var app: AppSelection

  @Argument(help: "The identifier of the key, or the name of a server key.")
  var key: String
}

struct EnableAPIKey: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Allow logins with a disabled key again."
  )

  @OptionGroup var selection: APIKeySelection

  func perform() throws { try selection.app.open().setDisabled(false, apiKey: selection.key) }
}

struct DisableAPIKey: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Disable a key and revoke the logins made with it."
  )

  @OptionGroup var selection: APIKeySelection

  func perform() throws { try selection.app.open().setDisabled(true, apiKey: selection.key) }
}

struct DeleteAPIKey: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a key; deleting a server key also deletes its user."
  )

  @OptionGroup var selection: APIKeySelection

  func perform() throws { try selection.app.open().deleteAPIKey(selection.key) }
}
