// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncRules
import FlexSyncScheduling
import FlexSyncTransport
import Logging

/// How to run a server.
public struct ServerConfiguration {
  /// The app directories to serve.
  public var appDirectories: [String]
  /// The folder for all data; created if it is missing.
  public var dataFolder: String
  /// Where to listen, as `host:port`. Port 0 lets the system choose.
  public var listenAddress: String
  /// See `PublicOrigin`.
  public var publicURL: String?
  /// PEM files of the certificate chain and its key; both or neither.
  public var tlsCertificate: String?
  public var tlsKey: String?
  public var logger: Logger
  public var clock: WallClock
  /// How long log-ins last and how much anybody may try.
  public var accounts = AccountPolicy()
  /// Where mails to users go; nil if none are sent.
  public var mailDelivery: MailDelivery?
  /// How much clients may ask for.
  public var limits = ServerLimits() {
    didSet { deliveryLimits.stallMilliseconds = UInt64(limits.stallSeconds) * 1000 }
  }
  var deliveryLimits = DeliveryLimits()
  /// What users may see and do, in place of what the apps' rules say.
  var permissions: (any PermissionSource)?
  /// Whether each app has a thread of its own, as in `Server.run`. Otherwise everything happens on the server's loop, one
  /// thing after the other.
  var appsHaveThreads = false
  /// Whether connections from this machine count for `ServerLimits.connectionsPerAddress`; for tests.
  package var limitsLoopback = false

  public init(
    appDirectories: [String],
    dataFolder: String,
    listenAddress: String,
    publicURL: String? = nil,
    tlsCertificate: String? = nil,
    tlsKey: String? = nil,
    logger: Logger,
    clock: WallClock = .system
  ) {
    self.appDirectories = appDirectories
    self.dataFolder = dataFolder
    self.listenAddress = listenAddress
    self.publicURL = publicURL
    self.tlsCertificate = tlsCertificate
    self.tlsKey = tlsKey
    self.logger = logger
    self.clock = clock
  }
}
