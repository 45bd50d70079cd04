// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncDocuments

/// Options of commands that read files which may contain bad entries.
struct InputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Leave out what cannot be taken, and write it to this file with the reasons, from which it can be taken later.",
      valueName: "file"
    )
  )
  var skipBad: String?

  @Flag(help: "Say what would be done, and do nothing.")
  var dryRun = false

  /// Reports the entries that were refused.
  static func report(_ refusals: Refusals) {
    let place = refusals.file.map { "; all of them are in \($0)" } ?? ""
    printError("\(refusals.count) cannot be taken\(place):\n\(refusals.text)")
  }
}
