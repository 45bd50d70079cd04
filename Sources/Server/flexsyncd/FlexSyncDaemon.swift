// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command line of the server.
@main
struct FlexSyncDaemon: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flexsyncd",
    abstract: "A sync server for apps that use Flexible Sync.",
    version: "flexsyncd 0.1.0",
    subcommands: [
      Serve.self, Import.self, Migrate.self, Check.self, Users.self, Apps.self, Logs.self, Backup.self,
      Restore.self,
    ]
  )
}
