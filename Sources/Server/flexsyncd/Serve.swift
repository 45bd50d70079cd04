// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncConfiguration
import FlexSyncServer
import Logging

/// `flexsyncd serve`.
struct Serve: ReportingCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve apps until the process receives SIGTERM or SIGINT. SIGHUP reloads the app directories."
  )

  @Option(help: ArgumentHelp("An App Services app directory; can be given several times.", valueName: "dir"))
  var app: [String]

  @Option(help: ArgumentHelp("The folder for users and data; created if missing.", valueName: "dir"))
  var data: String

  @Option(
    help: ArgumentHelp(
      "The address to listen on. Port 0 lets the system choose a port.",
      valueName: "host:port"
    )
  )
  var listen = "127.0.0.1:9090"

  @Option(
    help: ArgumentHelp(
      "The URL at which clients reach the server, if it differs from the host that they request.",
      valueName: "url"
    )
  )
  var publicURL: String?

  @Option(
    name: .customLong("tls-certificate"),
    help: ArgumentHelp("A PEM file with the certificate chain.", valueName: "file")
  )
  var tlsCertificate: String?

  @Option(
    name: .customLong("tls-key"),
    help: ArgumentHelp("A PEM file with the certificate's key.", valueName: "file")
  )
  var tlsKey: String?

  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp(
      "A limit on clients' use of the server; can be given several times.",
      discussion: ServerLimit.all.map { "\($0.name)=\($0.standard): \($0.purpose)" }.joined(separator: "\n"),
      valueName: "name=value"
    )
  )
  var limits: [String] = []

  @OptionGroup(title: "Accounts") var accounts: AccountOptions
  @OptionGroup var log: LogOptions

  func validate() throws { try checkingOptions { try makeConfiguration().check() } }

  var errorLogger: Logger? { log.logFormat == .json ? log.makeLogger() : nil }

  func perform() throws {
    var configuration = try makeConfiguration()
    configuration.accounts = accounts.policy
    configuration.mailDelivery = accounts.mail.delivery
    try Server.run(configuration)
  }

  private func makeConfiguration() throws -> ServerConfiguration {
    var configuration = ServerConfiguration(
      appDirectories: app,
      dataFolder: data,
      listenAddress: listen,
      logger: log.makeLogger()
    )
    configuration.publicURL = publicURL
    configuration.tlsCertificate = tlsCertificate
    configuration.tlsKey = tlsKey
    configuration.limits = try ServerLimits(limits)
    return configuration
  }
}
