// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer

/// `flexsyncd migrate`.
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take users over from Atlas App Services, with their identifiers.",
    discussion: """
      The file lists users as the Admin API does (GET …/apps/<id>/users), one a line or as an array; with --csv it is a \
      table with the columns id, provider, identity, email, disabled, type, created, last_login, data. A server may be \
      running on the same data. Running the command again changes nothing, or adds what is new in the file. \
      Docs/Migration.md says what comes before and after.
      """
  )

  @Option(help: ArgumentHelp("The App Services app directory.", valueName: "dir"))
  var app: String

  @Option(help: ArgumentHelp("The folder for users and data, as for serve.", valueName: "dir"))
  var data: String

  @Option(help: ArgumentHelp("The file with the users.", valueName: "file"))
  var users: String

  @Flag(help: "The file is a table of comma-separated values.")
  var csv = false

  @OptionGroup var input: InputOptions

  func run() throws {
    try reportingErrors {
      let migration = try UserMigration(appDirectory: app, dataFolder: data, isDryRun: input.dryRun)
      let summary = try migration.run(
        users: users,
        format: csv ? .table : .documents,
        skipFile: input.skipBad,
        onRefusals: InputOptions.report
      )
      print(summary.text(isDryRun: input.dryRun))
    }
  }
}
