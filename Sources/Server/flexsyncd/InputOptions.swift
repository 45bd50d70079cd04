// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncDocuments

/// The folder that a server serves.
struct DataFolderOption: ParsableArguments {
  @Option(help: ArgumentHelp("The data folder, as for serve.", valueName: "dir"))
  var data: String
}

/// Options of commands that bring files, which may contain bad entries, into an app.
struct InputOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The App Services app directory.", valueName: "dir"))
  var app: String

  @OptionGroup var folder: DataFolderOption

  @Option(
    help: ArgumentHelp(
      "Skip invalid entries and write them to this file with the reasons; you can correct the file and use it "
        + "as input.",
      valueName: "file"
    )
  )
  var skipBad: String?

  @Flag(help: "Print what would be done without changing anything.")
  var dryRun = false

  /// Reports the entries that were refused.
  static func report(_ refusals: Refusals) {
    let place = refusals.file.map { "; all of them are listed in \($0)" } ?? ""
    printError("\(refusals.count) entries are invalid\(place):\n\(refusals.text)")
  }
}
