// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncAccounts
import FlexSyncServer

struct CreateUser: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a confirmed user with an email address and a password."
  )

  @OptionGroup var app: AppSelection
  @OptionGroup var output: OutputOptions
  @OptionGroup var password: RequiredPassword

  @Option(help: "The email address.")
  var email: String

  func validate() throws {
    do throws(AccountError) {
      _ = try EmailAddress.checked(email)
    } catch {
      throw ValidationError(error.message)
    }
  }

  func perform() throws {
    let administration = try app.open()
    let user = try administration.createAccount(email: email, password: try password.read())
    printWarning(administration.warning(about: .password))
    print(output.json ? user.json.serialized : user.id ?? email)
  }
}

struct DeleteUser: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a user together with accounts, keys and client files. Objects are kept."
  )

  @OptionGroup var selection: UserSelection

  func perform() throws { try selection.app.open().delete(selection.user) }
}

struct DisableUser: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Log a user out everywhere and prevent further logins."
  )

  @OptionGroup var selection: UserSelection

  func perform() throws { try selection.app.open().setDisabled(true, selection.user) }
}

struct EnableUser: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Let a disabled user log in again."
  )

  @OptionGroup var selection: UserSelection

  func perform() throws { try selection.app.open().setDisabled(false, selection.user) }
}

struct ConfirmUser: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm",
    abstract: "Let an account log in without a confirmation mail."
  )

  @OptionGroup var selection: UserSelection

  func perform() throws { try selection.app.open().confirm(selection.user) }
}

struct ResetPassword: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password",
    abstract: "Set a password and log the user out everywhere, or create a token for a reset mail.",
    discussion: """
      Without --password-file, the password is not changed: the command prints the content of a reset mail as JSON, \
      for you to pass on to the user. With the app's directory as --app, it contains the app's link.
      """
  )

  @OptionGroup var selection: UserSelection

  @Option(
    help: ArgumentHelp("A file whose first line is the password; - for standard input.", valueName: "file")
  )
  var passwordFile: String?

  func perform() throws {
    let users = try selection.app.open()
    guard let passwordFile else {
      return print(try users.makeResetToken(for: selection.user).serialized)
    }
    try users.setPassword(try InputFile.firstLine(of: passwordFile), of: selection.user)
  }
}

struct RevokeSessions: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke-sessions",
    abstract: "Log a user out everywhere."
  )

  @OptionGroup var selection: UserSelection

  func perform() throws { try selection.app.open().revokeSessions(selection.user) }
}

struct SetCustomData: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-custom-data",
    abstract: "Set the custom data of a user, unless the app stores it as objects of a synced class."
  )

  @OptionGroup var selection: UserSelection

  @Option(
    help: ArgumentHelp("A file with a JSON object (Extended JSON); - for standard input.", valueName: "file")
  )
  var file: String?

  @Flag(help: "Remove the data.")
  var remove = false

  func validate() throws {
    guard (file != nil) != remove else { throw ValidationError("give either --file or --remove") }
  }

  func perform() throws {
    let document = try file.map { try InputFile.json(of: $0) }
    printWarning(try selection.app.open().setCustomData(document, of: selection.user))
  }
}
