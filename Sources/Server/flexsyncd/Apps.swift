// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer

/// `flexsyncd apps`.
struct Apps: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the apps in a data folder.",
    subcommands: [ListApps.self, ShowApp.self, PrintSchema.self]
  )
}

struct ListApps: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the apps in a data folder: identifier, users, client files, bytes."
  )

  @OptionGroup var folder: DataFolderOption

  @OptionGroup var output: OutputOptions

  func perform() throws {
    output.print(try AppSummary.all(dataFolder: folder.data))
  }
}

struct ShowApp: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show an app with the number of objects of each class."
  )

  @OptionGroup var selection: AppSelection

  @Argument(help: ArgumentHelp("The app, as with --app.", valueName: "app"))
  var name: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard name == nil || selection.app == nil else { throw ValidationError("name the app once") }
  }

  func perform() throws {
    let summary = try AppSummary.one(name ?? selection.app, dataFolder: selection.folder.data)
    guard !output.json else { return print(summary.json.serialized) }
    print(summary.details(except: "objects"))
    for (className, count) in summary.objectCounts { print("objects of \(className): \(count)") }
  }
}

struct PrintSchema: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract:
      "Print the schema files that an app directory lacks for what clients added in development mode.",
    discussion: """
      Prints schema.json and relationships.json of each class of which the directory lacks something, with their paths. \
      Changes neither the directory nor the data.
      """
  )

  @OptionGroup var folder: DataFolderOption

  @Option(help: ArgumentHelp("The App Services app directory.", valueName: "dir"))
  var app: String

  @Option(help: ArgumentHelp("A folder to write the files to, empty or new.", valueName: "dir"))
  var to: String?

  func perform() throws {
    let missing = try MissingSchema(appDirectory: app, dataFolder: folder.data)
    for note in missing.notes { printError("note: \(note)") }
    if missing.isEmpty { return printError("\(app) declares all classes and properties of the data") }
    guard let to else { return print(missing.text, terminator: "") }
    for path in try missing.write(to: to) { print("\(to)/\(path)") }
  }
}
