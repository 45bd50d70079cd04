// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncConfiguration
import FlexSyncServer

/// `flexsyncd check`.
struct Check: ReportingCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check an app directory and list what the server does not support.",
    discussion: """
      Prints every problem with its file and key. Errors prevent the server from serving the app, and make the command \
      exit with status 1; warnings are about settings that do not do what they seem to say; notes say what settings \
      require elsewhere. Parts that are not carried over are listed with the consequences for the app and what you can \
      do. With --data, the command also compares the directory with the data, which it does not change.
      """
  )

  @Option(help: ArgumentHelp("The App Services app directory; can be given several times.", valueName: "dir"))
  var app: [String]

  @Option(help: ArgumentHelp("The data folder with which the apps are to be served.", valueName: "dir"))
  var data: String?

  @Flag(help: "Exit with status 1 on warnings, too.")
  var strict = false

  func perform() throws {
    var isBad = false
    for directory in app {
      let check = AppDirectory.check(directory)
      let comparison = try comparison(check)
      print(report(directory, check, comparison))
      let hasErrors = !check.errors.isEmpty || comparison?.errors.isEmpty == false
      let hasWarnings = !check.warnings.isEmpty || comparison?.warnings.isEmpty == false
      if hasErrors || strict && hasWarnings { isBad = true }
    }
    if isBad { throw ExitCode.failure }
  }

  private func comparison(_ check: AppCheck) throws -> DataCheck? {
    guard let data, let app = check.app else { return nil }
    return try DataCheck(app, dataFolder: data)
  }

  private func report(_ directory: String, _ check: AppCheck, _ comparison: DataCheck?) -> String {
    let contradictions = comparison?.errors ?? []
    var lines = [
      "\(directory) \(contradictions.isEmpty ? check.app.map(Check.summary) ?? "cannot be served" : "cannot be served")"
    ]
    lines += Check.section("errors", check.errors.map(\.description) + contradictions)
    lines += Check.section("warnings", check.warnings.map(\.description) + (comparison?.warnings ?? []))
    lines += Check.section("notes", check.notes.map(\.description) + (comparison?.notes ?? []))
    lines += Check.section("not carried over", check.notCarriedOver)
    return lines.joined(separator: "\n")
  }

  private static func summary(_ app: AppConfiguration) -> String {
    "can be served: app \(app.appID), \(app.schema.classes.count) classes"
  }

  private static func section(_ title: String, _ entries: [some CustomStringConvertible]) -> [String] {
    entries.isEmpty ? [] : ["\(title):"] + entries.map { "  \($0)" }
  }
}
