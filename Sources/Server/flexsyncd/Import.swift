// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer

/// `flexsyncd import`.
struct Import: ReportingCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import documents exported with mongoexport.",
    discussion: """
      The file contains Extended JSON (canonical or relaxed), one document per line or an array of documents. A \
      document whose _id already exists replaces the object. If the collection of custom user data is not synced, its \
      documents are stored with the users to whom they belong. A server may be using the same data folder: its clients \
      receive the changes.
      """
  )

  @OptionGroup var input: InputOptions

  @Option(help: ArgumentHelp("The name of the collection or of its class.", valueName: "name"))
  var collection: String

  @Argument(help: "The file to import.")
  var file: String

  @OptionGroup var log: LogOptions

  func perform() throws {
    let importer = try DataImport(
      appDirectory: input.app,
      dataFolder: input.folder.data,
      isDryRun: input.dryRun,
      logger: log.makeLogger()
    )
    let summary = try importer.run(
      file: file,
      collection: collection,
      skipFile: input.skipBad,
      onRefusals: InputOptions.report
    )
    let counts =
      "\(summary.documentCount) documents into \(collection): \(summary.newCount) new, "
      + "\(summary.documentCount - summary.newCount) replaced; \(summary.refusedCount) refused"
    guard !summary.isPrevented else {
      printError(
        "would import nothing, because \(summary.refusedCount) documents are invalid. Correct them, or skip them with "
          + "--skip-bad FILE, which would import \(counts)"
      )
      throw ExitCode.failure
    }
    print("\(input.dryRun ? "would import" : "imported") \(counts)")
  }
}
