// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncConfiguration
import FlexSyncServer

extension UserSummary.State: ExpressibleByArgument {}

struct ListUsers: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List users and accounts: identifier, state, providers, email address."
  )

  @OptionGroup var app: AppSelection
  @OptionGroup var output: OutputOptions

  @Option(help: "List only users in this state: enabled, disabled, pending or registered.")
  var state: UserSummary.State?

  @Option(help: ArgumentHelp("List only users who log in with this provider.", valueName: "type"))
  var provider: String?

  func validate() throws {
    guard let provider, !ProviderReader.types.contains(provider) else { return }
    throw ValidationError(
      "--provider \(provider) is unknown; the providers are \(ProviderReader.types.joined(separator: ", "))"
    )
  }

  func perform() throws {
    let users = try app.open().users().filter { user in
      (state.map { $0 == user.state } ?? true) && (provider.map(user.providers.contains) ?? true)
    }
    output.print(users)
  }
}

struct ShowUser: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a user with identities, data, sessions and API keys."
  )

  @OptionGroup var selection: UserSelection
  @OptionGroup var output: OutputOptions

  func perform() throws {
    let user = try selection.app.open().show(selection.user)
    print(output.json ? user.json.serialized : user.details())
  }
}
