// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncAccounts

/// Options for the delivery of e-mails.
struct MailOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A program that sends a mail; it gets JSON on standard input. It is run without a shell and arguments.",
      valueName: "program"
    )
  )
  var mailCommand: String?

  @Option(help: ArgumentHelp("A folder in which each mail becomes a file with JSON.", valueName: "dir"))
  var mailFolder: String?

  func validate() throws {
    guard mailCommand == nil || mailFolder == nil else {
      throw ValidationError("give either --mail-command or --mail-folder")
    }
  }

  var delivery: MailDelivery? {
    mailCommand.map(MailDelivery.command) ?? mailFolder.map(MailDelivery.folder)
  }
}
