// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncJSON
import FlexSyncServer

/// `flexsyncd apps`.
struct Apps: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the apps in a data folder.",
    subcommands: [ListApps.self, ShowApp.self]
  )
}

struct ListApps: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the apps in a data folder: identifier, users, client files, bytes."
  )

  @Option(help: ArgumentHelp("The data folder, as for serve.", valueName: "dir"))
  var data: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    try reportingErrors {
      let apps = try AppSummary.all(dataFolder: data)
      guard !output.json else { return print(JSON.array(apps.map(\.json)).serialized) }
      for app in apps {
        print(
          [app.id, "\(app.userCount)", "\(app.clientFileCount)", "\(app.byteCount)"].joined(separator: "\t")
        )
      }
    }
  }
}

struct ShowApp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show an app with the number of objects of each class."
  )

  @Option(help: ArgumentHelp("The data folder, as for serve.", valueName: "dir"))
  var data: String

  @Argument(help: "The app's identifier.")
  var app: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    try reportingErrors {
      let summary = try AppSummary.one(app, dataFolder: data)
      guard !output.json else { return print(summary.json.serialized) }
      for member in summary.json.objectValue ?? [] where member.name != "objects" {
        print("\(member.name): \(member.value.stringValue ?? member.value.serialized)")
      }
      for (className, count) in summary.objectCounts { print("objects of \(className): \(count)") }
    }
  }
}
