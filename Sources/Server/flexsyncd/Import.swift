// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer

/// `flexsyncd import`.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import documents that mongoexport has written.",
    discussion: """
      The file holds Extended JSON (canonical or relaxed), one document per line or an array of documents. Documents \
      whose _id exists replace the object. Documents of the collection of custom user data, if it is not synced, go to \
      the users whose they are. A server may be running on the same data: its clients get the changes.
      """
  )

  @Option(help: ArgumentHelp("The App Services app directory.", valueName: "dir"))
  var app: String

  @Option(help: ArgumentHelp("The folder for users and data, as for serve.", valueName: "dir"))
  var data: String

  @Option(help: ArgumentHelp("The collection, or the class of its documents.", valueName: "name"))
  var collection: String

  @Argument(help: "The file to import.")
  var file: String

  @OptionGroup var input: InputOptions
  @OptionGroup var log: LogOptions

  func run() throws {
    try reportingErrors {
      let importer = try DataImport(
        appDirectory: app,
        dataFolder: data,
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
        "\(summary.newCount) new, \(summary.documentCount - summary.newCount) in the place of others"
      print(
        "\(input.dryRun ? "would import" : "imported") \(summary.documentCount) documents into \(collection): "
          + "\(counts); \(summary.refusedCount) refused"
      )
    }
  }
}
