// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncServerSupport
import FlexSyncStore
import FlexSyncTransport
import Logging

/// A sync server: apps behind one HTTP and WebSocket listener. Confined to its loop's thread.
public final class Server {
  private let loop: EventLoop
  private let logger: Logger
  private let folder: DataFolder
  private let policy: AccountPolicy
  /// The apps by app id.
  let threads: [String: AppThread]
  /// Answers requests that need no app.
  private let api: ClientAPI
  private let passwordSlots: PasswordSlots
  private let http: HTTPServer
  private var nextShortageNote: UInt64 = 0
  /// What is called once the server has stopped; none until it is told to.
  private var stopCompletions: [() -> Void] = []
  /// The error because of which the server has stopped.
  private(set) var failure: StorageError?
  /// The address the server listens on, with the actual port.
  public let endpoint: Endpoint
  /// The time during which the certificate was valid at the start, in seconds from then; nil without TLS.
  let certificateValidity: ClosedRange<Int>?

  /// Loads and checks the apps, listens, and opens their stores, in this order: a start that fails because of the
  /// command line, an app directory or the address has changed nothing in the data folder.
  ///
  /// - Throws: `ConfigurationError`, `StorageError`, `FileError`, `TransportError`, `ServerError`; each identifies
  ///   what failed and why.
  public init(_ configuration: ServerConfiguration, loop: EventLoop) throws {
    self.loop = loop
    logger = configuration.logger
    policy = configuration.accounts
    let (address, origin) = try configuration.addresses()
    try configuration.mailDelivery?.prepare()
    let tls = try Server.tls(configuration)
    certificateValidity = tls?.certificateValidity
    let directories = try configuration.appDirectories.map(AppDirectory.load)
    try StartCheck(dataFolder: configuration.dataFolder).check(directories)
    let receiver = Receiver()
    http = Server.httpServer(configuration, tls: tls, loop: loop, receiver)
    let hasKey: Bool
    do {
      endpoint = try http.listen(on: address)
      folder = try DataFolder(configuration.dataFolder, logger: logger)
      try folder.lockForServing()
      hasKey = SigningKey.exists(in: folder.path)
      let opening = AppOpening(
        configuration,
        folder: folder,
        signer: TokenSigner(key: try SigningKey.load(folder: folder.path)),
        origin: origin,
        appIDs: Set(directories.map(\.appID)),
        network: loop
      )
      passwordSlots = opening.passwordSlots
      api = opening.api(service: nil)
      threads = try opening.open(directories)
    } catch {
      http.close(graceMilliseconds: 0) {}
      throw error
    }
    receiver.server = self
    do {
      if !hasKey, try apps.values.contains(where: { try $0.engine.store.hasLogins }) { warnOfNewKey() }
      for app in directories { logger.info("serving \(app.appID) from \(app.directory)") }
      for thread in threads.values { try thread.start() }
    } catch {
      http.close(graceMilliseconds: 0) {}
      endThreads()
      throw error
    }
  }

  deinit { passwordSlots.dismissQueues() }

  /// The apps, if they share the server's loop.
  package var apps: [String: ServedApp] { threads.mapValues(\.served) }

  private func warnOfNewKey() {
    let text =
      "\(folder.path) had no token.key, so the server has created a new one, and all users must log in again, which "
      + "anonymous users cannot; to keep them logged in, stop the server and put the token.key of a backup in its place"
    logger.warning("\(text)")
  }

  private static func tls(_ configuration: ServerConfiguration) throws -> TLSContext? {
    guard let certificate = configuration.tlsCertificate, let key = configuration.tlsKey else { return nil }
    try TLSFile.certificate.check(certificate)
    try TLSFile.key.check(key)
    return try TLSContext.server(certificateFile: certificate, keyFile: key)
  }

  /// Leaves room for an access token that contains custom user data.
  private static let maximumHeadByteCount = 48 * 1024

  /// The server as its listener knows it, which exists before the server does.
  private final class Receiver {
    weak var server: Server?
  }

  private static func httpServer(
    _ configuration: ServerConfiguration,
    tls: TLSContext?,
    loop: EventLoop,
    _ receiver: Receiver
  ) -> HTTPServer {
    var http = HTTPServerConfiguration()
    http.tls = tls
    http.maximumHeadBytes = Server.maximumHeadByteCount
    http.maximumBodyBytes = configuration.limits.requestByteCount
    http.maximumConnectionsPerAddress = configuration.limits.connectionsPerAddress
    http.limitsLoopback = configuration.limitsLoopback
    let server = HTTPServer(
      loop: loop,
      configuration: http,
      upgradeHandler: { receiver.server?.upgrade($0) },
      handler: { receiver.server?.handle($0, $1) }
    )
    server.onCrowdedAddress = { [logger = configuration.logger] address in
      logger.warning(
        "refused a connection: its address has too many (limit connections-per-address)",
        metadata: ["address": "\(address)"]
      )
    }
    server.onDescriptorShortage = { receiver.server?.noteDescriptorShortage() }
    return server
  }

  /// Logs, at most once a minute, that connections are refused for lack of file descriptors.
  private func noteDescriptorShortage() {
    let now = loop.monotonicMilliseconds
    guard now >= nextShortageNote else { return }
    nextShortageNote = now + 60_000
    logger.error(
      "connections are refused: almost no file descriptors are left; raise the limit (ulimit -n, LimitNOFILE)"
    )
  }

  /// Finishes what has been received, then closes all connections and stores.
  ///
  /// - Parameter completion: Called on the loop when everything is closed, also if another call has begun that.
  public func stop(completion: @escaping () -> Void) {
    stopCompletions.append(completion)
    guard stopCompletions.count == 1 else { return }
    logger.info("stopping")
    for thread in threads.values { thread.run { $0.stop() } }
    http.close(graceMilliseconds: 1_000) { [self] in
      endThreads()
      folder.unlock()
      logger.info("stopped")
      for completion in stopCompletions { completion() }
    }
  }

  /// Calls a closure on an app's loop when the file of the app has been deleted or replaced. The server must then stop.
  func onLoss(_ body: @escaping @Sendable (StorageError) -> Void) {
    for thread in threads.values { thread.run { $0.served.onLoss = body } }
  }

  /// Stops because of an error.
  func fail(_ error: StorageError, completion: @escaping () -> Void) {
    guard failure == nil else { return }
    failure = error
    stop(completion: completion)
  }

  private func endThreads() {
    for thread in threads.values { thread.end() }
    for thread in threads.values { thread.join() }
    passwordSlots.dismissQueues()
  }

  /// Reloads the app directories, on the apps' threads.
  public func reload() {
    for (_, thread) in threads.sorted(by: { $0.key < $1.key }) { thread.run { $0.reload() } }
  }

  // MARK: Requests

  private func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let (host, address) = (host(of: request), address(of: request))
    let apiRequest = APIRequest(request, host: host, address: address)
    if let app = api.appID(for: apiRequest).flatMap({ threads[$0] }) {
      return app.handle(request, host: host, address: address, responder)
    }
    api.handle(apiRequest) { responder.respond($0.http) }
  }

  private func host(of request: HTTPRequest) -> String {
    request.headers["Host"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(endpoint)"
  }

  private func address(of request: HTTPRequest) -> String {
    let forwarded =
      policy.trustsForwardedAddress ? request.headers.list("X-Forwarded-For").last : nil
    return ClientAddress.key(of: forwarded ?? request.client?.host ?? "")
  }

  private func upgrade(_ upgrade: WebSocketUpgrade) {
    do throws(APIError) {
      let appID = try api.syncAppID(of: upgrade.request)
      threads[appID]?.upgrade(upgrade)
    } catch {
      upgrade.refuse(error.response.http)
    }
  }
}
