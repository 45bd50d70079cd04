// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncAccounts

/// Options for the delivery of emails.
struct MailOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A program that sends a mail. It receives JSON on standard input and runs without a shell or arguments.",
      valueName: "program"
    )
  )
  var mailCommand: String?

  @Option(help: ArgumentHelp("A folder to which each mail is written as a JSON file.", valueName: "dir"))
  var mailFolder: String?

  func validate() throws {
    guard mailCommand == nil || mailFolder == nil else {
      throw ValidationError("give --mail-command or --mail-folder, not both")
    }
  }

  var delivery: MailDelivery? {
    mailCommand.map(MailDelivery.command) ?? mailFolder.map(MailDelivery.folder)
  }
}
