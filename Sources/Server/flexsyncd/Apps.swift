// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer

/// `flexsyncd apps`.
struct Apps: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the apps in a data folder.",
    subcommands: [ListApps.self, ShowApp.self]
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

  @OptionGroup var folder: DataFolderOption

  @Argument(help: "The app's identifier.")
  var app: String

  @OptionGroup var output: OutputOptions

  func perform() throws {
    let summary = try AppSummary.one(app, dataFolder: folder.data)
    guard !output.json else { return print(summary.json.serialized) }
    print(summary.details(except: "objects"))
    for (className, count) in summary.objectCounts { print("objects of \(className): \(count)") }
  }
}
