// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncConfiguration

/// `flexsyncd check`.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check an app directory and list what the server does not support.",
    discussion: """
      Prints every problem with its file and key. Errors prevent the server from serving the app, and make the command \
      exit with status 1; warnings are about settings that do not do what they seem to say. Parts that are not carried \
      over are listed with the consequences for the app and what you can do.
      """
  )

  @Option(help: ArgumentHelp("The App Services app directory; can be given several times.", valueName: "dir"))
  var app: [String]

  @Flag(help: "Exit with status 1 on warnings, too.")
  var strict = false

  func run() throws {
    let checks = app.map { ($0, AppDirectory.check($0)) }
    for (directory, check) in checks { print(Check.report(directory, check)) }
    let isBad = { (check: AppCheck) in !check.errors.isEmpty || strict && !check.warnings.isEmpty }
    if checks.contains(where: { isBad($0.1) }) { throw ExitCode.failure }
  }

  private static func report(_ directory: String, _ check: AppCheck) -> String {
    var lines = ["\(directory) \(check.app.map(summary) ?? "cannot be served")"]
    lines += section("errors", check.errors)
    lines += section("warnings", check.warnings)
    lines += section("not carried over", check.notCarriedOver)
    return lines.joined(separator: "\n")
  }

  private static func summary(_ app: AppConfiguration) -> String {
    "can be served: app \(app.appID), \(app.schema.classes.count) classes"
  }

  private static func section(_ title: String, _ entries: [some CustomStringConvertible]) -> [String] {
    entries.isEmpty ? [] : ["\(title):"] + entries.map { "  \($0)" }
  }
}
