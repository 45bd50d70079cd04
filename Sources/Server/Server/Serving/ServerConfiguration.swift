// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncRules
import FlexSyncScheduling
import FlexSyncServerSupport
import FlexSyncTransport
import Logging

/// The configuration for running a server.
public struct ServerConfiguration {
  /// The app directories to serve.
  public var appDirectories: [String]
  /// The folder for all data; created if it is missing.
  public var dataFolder: String
  /// The address to listen on, as `host:port`. Port 0 lets the system choose a port.
  public var listenAddress: String
  /// See `PublicOrigin`.
  public var publicURL: String?
  /// PEM files of the certificate chain and its key; both or neither.
  public var tlsCertificate: String?
  public var tlsKey: String?
  public var logger: Logger
  public var clock = WallClock.system
  /// The lifetimes of log-ins and the limits on attempts.
  public var accounts = AccountPolicy()
  /// The delivery of e-mails to users; nil to send none.
  public var mailDelivery: MailDelivery?
  /// The limits on clients' use of the server.
  public var limits = ServerLimits() {
    didSet { deliveryLimits.stallMilliseconds = UInt64(limits.stallSeconds) * 1000 }
  }
  var deliveryLimits = DeliveryLimits()
  /// The permissions that replace those of the apps' rules; nil to use the rules.
  var permissions: (any PermissionSource)?
  /// Whether each app has its own thread, as in `Server.run`. Otherwise everything runs sequentially on the server's
  /// loop.
  var appsHaveThreads = false
  /// Whether connections from this machine count towards `ServerLimits.connectionsPerAddress`; for tests.
  package var limitsLoopback = false

  public init(appDirectories: [String], dataFolder: String, listenAddress: String, logger: Logger) {
    self.appDirectories = appDirectories
    self.dataFolder = dataFolder
    self.listenAddress = listenAddress
    self.logger = logger
  }

  /// Checks the values that are wrong no matter what is on this machine.
  ///
  /// - Throws: `ServerError` or `TransportError` that names the value.
  public func check() throws { _ = try addresses() }

  /// Returns where the server listens, and how clients reach it.
  func addresses() throws -> (listening: Endpoint, origin: PublicOrigin) {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ServerError("--tls-certificate and --tls-key must be given together")
    }
    let origin = try PublicOrigin(publicURL: publicURL, isTLS: tlsCertificate != nil)
    return (try Endpoint(parsing: listenAddress), origin)
  }
}
