// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncScheduling
import FlexSyncServer
import FlexSyncServerSupport

/// `flexsyncd migrate`.
struct Migrate: ReportingCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrate users from Atlas App Services, keeping their identifiers.",
    discussion: """
      The file lists users in the format of the Admin API (GET …/apps/<id>/users), one per line or as an array; with \
      --csv, it is a table with the columns id, provider, identity, email, disabled, type, created, last_login, data. \
      A server may be using the same data folder. Running the command again only adds what is missing. \
      Docs/Migration.md describes the steps before and after.
      """
  )

  @OptionGroup var input: InputOptions

  @Option(help: ArgumentHelp("The file with the users.", valueName: "file"))
  var users: String

  @Flag(help: "The file is a table of comma-separated values.")
  var csv = false

  @OptionGroup(title: "How users get back in") var ways: WayBackOptions

  func perform() throws {
    if !input.dryRun { try ways.mail.delivery?.prepare() }
    let migration = try UserMigration(
      appDirectory: input.app,
      dataFolder: input.folder.data,
      options: try ways.options,
      isDryRun: input.dryRun
    )
    let summary = try migration.run(
      users: users,
      format: csv ? .table : .documents,
      skipFile: input.skipBad,
      onRefusals: InputOptions.report
    )
    for warning in summary.warnings { printWarning(warning) }
    print(summary.text(isDryRun: input.dryRun))
    if summary.isPrevented {
      printError(
        "would migrate nobody, because \(summary.refusedCount) entries are invalid. Correct them, or skip them with "
          + "--skip-bad FILE, which would migrate as listed above"
      )
    }
    guard summary.mailErrors.isEmpty, !summary.isPrevented else { throw ExitCode.failure }
  }
}

/// Options for the ways in which users of another server can log in.
struct WayBackOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file of lines with an email address, a comma, and a bcrypt ($2b$…) or scrypt ($scrypt$…) password hash.",
      valueName: "file"
    )
  )
  var passwords: String?

  @Flag(help: "Send a password-reset mail to every email user who has no password on this server.")
  var resetMails = false

  @OptionGroup var mail: MailOptions

  @Option(help: ArgumentHelp("How many days the tokens in these mails are valid.", valueName: "days"))
  var resetMailDays: Int64 = 7

  @Option(
    help: ArgumentHelp(
      "Until this time in UTC, accept the first password used for an account that has none. Danger: until "
        + "then, anybody who knows the email address can take over the account.",
      valueName: "date"
    )
  )
  var firstPasswordUntil: String?

  @Option(
    help: ArgumentHelp(
      "Create a file with an API key for each anonymous user, with which the app can log in as that user.",
      valueName: "file"
    )
  )
  var anonymousKeys: String?

  @Option(
    help: ArgumentHelp(
      "A file of lines with the identifier of an API key, a comma, and the key.",
      valueName: "file"
    )
  )
  var apiKeys: String?

  func validate() throws {
    guard resetMails == (mail.delivery != nil) else {
      throw ValidationError(
        "--reset-mails needs --mail-command or --mail-folder, and these need --reset-mails"
      )
    }
    guard (1...60).contains(resetMailDays) else {
      throw ValidationError("--reset-mail-days is \(resetMailDays); it must be from 1 to 60")
    }
    try checkingOptions { _ = try firstPasswordEnd }
  }

  /// In seconds since 1970.
  private var firstPasswordEnd: Int64? {
    get throws {
      guard let firstPasswordUntil else { return nil }
      guard let time = UTCTime.milliseconds(firstPasswordUntil) else {
        throw ServerError(
          "--first-password-until \(firstPasswordUntil): write a date such as 2026-03-01, or 2026-03-01T09:30:00Z"
        )
      }
      guard time > WallClock.system.milliseconds() else {
        throw ServerError("--first-password-until is in the past; give a time in the future")
      }
      return time / 1000
    }
  }

  var options: MigrationOptions {
    get throws {
      var options = MigrationOptions()
      options.passwordFile = passwords
      options.apiKeyFile = apiKeys
      options.anonymousKeyFile = anonymousKeys
      try mail.delivery?.check()
      options.mailDelivery = mail.delivery
      options.mailSeconds = resetMailDays * 86_400
      options.firstPasswordEnd = try firstPasswordEnd
      return options
    }
  }
}
