// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer
import FlexSyncServerSupport

/// `flexsyncd backup`.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy a data folder, while a server is running on it or not.",
    discussion: """
      The copy has the keys, too: whoever can read it is every user. It is checked when it is made; it is whole if the \
      command ends with status 0.
      """
  )

  @Option(help: ArgumentHelp("The folder for users and data, as for serve.", valueName: "dir"))
  var data: String

  @Option(help: ArgumentHelp("A folder that is empty, or not there.", valueName: "dir"))
  var to: String

  func run() throws {
    try reportingErrors {
      let summary = try DataBackup.run(dataFolder: data, to: to)
      print(
        "backed up \(summary.apps.joined(separator: ", ")) to \(to): \(summary.fileCount) files, "
          + "\(summary.byteCount) bytes, checked"
      )
    }
  }
}

/// `flexsyncd restore`.
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a data folder out of a backup.",
    discussion: """
      Clients that have synced past the backup are asked to reset: they take what the server has, and upload what they \
      had not uploaded. Others go on.
      """
  )

  @Option(help: ArgumentHelp("The folder that backup has made.", valueName: "dir"))
  var from: String

  @Option(help: ArgumentHelp("The data folder to make; it must be empty, or not be there.", valueName: "dir"))
  var data: String

  func run() throws {
    try reportingErrors {
      let (time, apps) = try DataRestore.run(from: from, dataFolder: data)
      print(
        """
        restored \(apps.joined(separator: ", ")) as of \(UTCTime.text(milliseconds: time)) to \(data)
        clients that have synced since then will be asked to reset; what they had uploaded since then is lost, what \
        they had not uploaded comes
        """
      )
    }
  }
}
