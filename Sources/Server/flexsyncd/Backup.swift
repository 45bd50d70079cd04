// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer
import FlexSyncServerSupport

/// `flexsyncd backup`.
struct Backup: ReportingCommand {
  static let configuration = CommandConfiguration(
    abstract: "Back up a data folder, even while a server is using it.",
    discussion: """
      The backup contains the keys: anybody who can read it can log in as any user. The command checks the copied \
      data; the backup is complete if the command exits with status 0.
      """
  )

  @OptionGroup var folder: DataFolderOption

  @Option(help: ArgumentHelp("The folder for the backup; it must be empty or not exist.", valueName: "dir"))
  var to: String

  func perform() throws {
    let summary = try DataBackup.run(dataFolder: folder.data, to: to)
    print(
      "backed up \(summary.apps.joined(separator: ", ")) to \(to): \(summary.fileCount) files, "
        + "\(summary.byteCount) bytes, checked"
    )
    warnOfMissingKey(in: to)
  }
}

/// `flexsyncd restore`.
struct Restore: ReportingCommand {
  static let configuration = CommandConfiguration(
    abstract: "Create a data folder from a backup.",
    discussion: """
      Clients that have synced since the backup perform a client reset: they download the server's data and upload the \
      changes that they had not uploaded. Users who have logged in since are logged out, and users who were created \
      since are gone. Other clients continue.
      """
  )

  @Option(help: ArgumentHelp("The folder created by backup.", valueName: "dir"))
  var from: String

  @Option(help: ArgumentHelp("The data folder to create; it must be empty or not exist.", valueName: "dir"))
  var data: String

  func perform() throws {
    let (time, apps) = try DataRestore.run(from: from, dataFolder: data)
    print(
      """
      restored \(apps.joined(separator: ", ")) as of \(UTCTime.text(milliseconds: time)) to \(data)
      clients that have synced since then will perform a client reset; what they uploaded since then is lost, and \
      they upload what they had not uploaded
      users who have logged in or registered since then must do so again; see "Backup" in Docs/Operations.md for what \
      becomes of changes that their devices had not uploaded
      """
    )
    warnOfMissingKey(in: data)
  }
}

private func warnOfMissingKey(in folder: String) {
  guard !DataFolder.hasTokenKey(folder) else { return }
  printWarning(
    "the backup has no token.key; a server with its data creates a new one, and all users must log in again, which "
      + "anonymous users cannot"
  )
}
