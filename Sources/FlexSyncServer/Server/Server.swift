// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncProtocol
import FlexSyncTransport
import Logging

/// A sync server: apps behind one HTTP and WebSocket listener. Confined to its loop's thread.
public final class Server {
  private let loop: EventLoop
  private let logger: Logger
  private let folder: DataFolder
  private let policy: AccountPolicy
  /// By app id.
  let apps: [String: ServedApp]
  private let api: ClientAPI
  private let uploadLimits: UploadLimits
  private var http: HTTPServer?
  private var nextShortageNote: UInt64 = 0
  /// The address it listens on, with the real port.
  public private(set) var endpoint: Endpoint

  /// Loads the apps, opens their stores and listens.
  ///
  /// - Throws: `ConfigurationError`, `StorageError`, `FileError`, `TransportError`, `ServerError`: each says what is
  ///   wrong with what.
  public init(_ configuration: ServerConfiguration, loop: EventLoop) throws {
    self.loop = loop
    logger = configuration.logger
    policy = configuration.accounts
    uploadLimits = UploadLimits(configuration.limits)
    let endpoint = try Endpoint(parsing: configuration.listenAddress)
    let origin = try PublicOrigin(
      publicURL: configuration.publicURL,
      isTLS: configuration.tlsCertificate != nil
    )
    let tls = try Server.tls(configuration)
    let directories = try configuration.appDirectories.map(AppDirectory.load)
    folder = try DataFolder(configuration.dataFolder)
    try folder.lockForServing()
    let signer = TokenSigner(key: try SigningKey.load(folder: folder.path))
    apps = try Server.open(directories, folder, signer, configuration, loop)
    api = ClientAPI(
      services: apps.mapValues(\.accounts),
      signer: signer,
      clock: configuration.clock,
      origin: origin,
      logger: logger
    )
    self.endpoint = endpoint
    self.endpoint = try listen(on: endpoint, configuration, tls: tls)
    logger.info("listening on \(self.endpoint)")
    StartWarnings(configuration, listening: self.endpoint).log()
  }

  private static func tls(_ configuration: ServerConfiguration) throws -> TLSContext? {
    switch (configuration.tlsCertificate, configuration.tlsKey) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return try TLSContext.server(certificateFile: certificate, keyFile: key)
    default: throw ServerError("--tls-certificate and --tls-key are needed together")
    }
  }

  private static func open(
    _ directories: [AppConfiguration],
    _ folder: DataFolder,
    _ signer: TokenSigner,
    _ configuration: ServerConfiguration,
    _ loop: EventLoop
  ) throws -> [String: ServedApp] {
    let passwords = PasswordQueue(worker: loop, limits: configuration.limits)
    var apps: [String: ServedApp] = [:]
    let rota = TurnRota(loop, budget: configuration.deliveryLimits.turn)
    for app in directories {
      guard apps[app.appID] == nil else {
        throw ServerError("two app directories have the app_id \(app.appID)")
      }
      for warning in app.warnings {
        configuration.logger.warning("\(warning)", metadata: ["app": "\(app.appID)"])
      }
      for part in app.notCarriedOver {
        configuration.logger.warning("\(part)", metadata: ["app": "\(app.appID)"])
      }
      let served = try ServedApp(
        app: app,
        store: try folder.openStore(appID: app.appID, interruption: configuration.interruption),
        signer: signer,
        loop: loop,
        worker: loop,
        clock: configuration.clock,
        limits: configuration.deliveryLimits,
        serverLimits: configuration.limits,
        logger: configuration.logger,
        policy: configuration.accounts,
        passwords: passwords,
        mailDelivery: configuration.mailDelivery,
        permissions: configuration.permissions,
        rota: rota
      )
      if configuration.limits.recordByteCount > 0 {
        let records = DataFolder.recordFolder(in: folder.path, appID: app.appID)
        served.keepRecords(in: RecordFiles(folder: records, byteCount: configuration.limits.recordByteCount))
      }
      apps[app.appID] = served
      configuration.logger.info("serving \(app.appID) from \(app.directory)")
    }
    return apps
  }

  /// Room for an access token with custom user data.
  private static let maximumHeadByteCount = 48 * 1024

  private func listen(
    on endpoint: Endpoint,
    _ configuration: ServerConfiguration,
    tls: TLSContext?
  ) throws -> Endpoint {
    var http = HTTPServerConfiguration()
    http.tls = tls
    http.maximumHeadBytes = Server.maximumHeadByteCount
    http.maximumBodyBytes = configuration.limits.requestByteCount
    http.maximumConnectionsPerAddress = configuration.limits.connectionsPerAddress
    http.limitsLoopback = configuration.limitsLoopback
    let server = HTTPServer(
      loop: loop,
      configuration: http,
      upgradeHandler: { [weak self] in self?.upgrade($0) },
      handler: { [weak self] in self?.handle($0, $1) }
    )
    server.onCrowdedAddress = { [logger] address in
      logger.warning(
        "a connection is refused: its address has too many (limit connections-per-address)",
        metadata: ["address": "\(address)"]
      )
    }
    server.onDescriptorShortage = { [weak self] in self?.noteDescriptorShortage() }
    self.http = server
    return try server.listen(on: endpoint)
  }

  /// Says once a minute that connections are closed for that reason.
  private func noteDescriptorShortage() {
    let now = loop.monotonicMilliseconds
    guard now >= nextShortageNote else { return }
    nextShortageNote = now + 60_000
    logger.error(
      "connections are refused, since the process has almost no file descriptors left; raise its limit (ulimit -n, LimitNOFILE)"
    )
  }

  /// Finishes what has been received, closes all connections and the stores.
  ///
  /// - Parameter completion: runs on the loop when everything is closed.
  public func stop(completion: @escaping () -> Void) {
    logger.info("stopping")
    for app in apps.values { app.stop() }
    http?.close(graceMilliseconds: 1_000) { [self] in
      folder.unlock()
      logger.info("stopped")
      completion()
    }
  }

  /// Reads the app directories again. Sessions that the changes do not concern go on; an app whose directory cannot be
  /// used goes on as it was, and the log says why.
  public func reload() {
    for (appID, served) in apps.sorted(by: { $0.key < $1.key }) {
      do {
        let app = try AppDirectory.load(served.app.directory)
        guard app.appID == appID else {
          throw ServerError("its app_id is now \(app.appID); the server has to be started again for that")
        }
        try served.reload(app)
        for warning in app.warnings { logger.warning("\(warning)", metadata: ["app": "\(appID)"]) }
        logger.info("reloaded \(appID) from \(app.directory)")
      } catch {
        logger.error(
          "\(served.app.directory) cannot be reloaded; the app goes on as it was",
          metadata: ["app": "\(appID)", "error": "\(error)"]
        )
      }
    }
  }

  // MARK: HTTP

  private func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let apiRequest = APIRequest(
      method: request.method,
      path: request.path,
      isLinking: request.queryValue("link") == "true",
      host: host(of: request),
      address: address(of: request),
      bearerToken: Server.bearerToken(request),
      body: request.body
    )
    responder.onCancel = { [cancellation = apiRequest.cancellation] in cancellation.cancel() }
    api.handle(apiRequest) { response in responder.respond(Server.httpResponse(response)) }
  }

  private func host(of request: HTTPRequest) -> String {
    request.headers["Host"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(endpoint)"
  }

  private func address(of request: HTTPRequest) -> String {
    let forwarded =
      policy.trustsForwardedAddress ? request.headers.list("X-Forwarded-For").last : nil
    return ClientAddress.key(of: forwarded ?? request.client?.host ?? "")
  }

  private static func bearerToken(_ request: HTTPRequest) -> String? {
    let prefix = "Bearer "
    guard let header = request.headers["Authorization"], header.hasPrefix(prefix) else { return nil }
    return String(header.dropFirst(prefix.count))
  }

  private static func httpResponse(_ response: APIResponse) -> HTTPResponse {
    guard let body = response.body else { return HTTPResponse(status: response.status) }
    // Tokens and what is known about users belong into no cache.
    // Realm's client parses an error only if the type is exactly this (peer-client §1).
    var result = HTTPResponse(
      status: response.status,
      contentType: "application/json",
      body: Array(body.serialized.utf8)
    )
    result.headers.append("Cache-Control", "no-store")
    if let seconds = response.retryAfter { result.headers.append("Retry-After", "\(seconds)") }
    return result
  }

  // MARK: Sync connections

  private func upgrade(_ upgrade: WebSocketUpgrade) {
    do {
      let (app, claims) = try authenticate(upgrade.request)
      let offer = upgrade.offeredProtocols.joined(separator: ",")
      let agreed = try SubprotocolNegotiation.select(offer: offer)
      var options = WebSocketOptions()
      options.maximumMessageBytes = uploadLimits.messageByteCount
      guard let socket = upgrade.accept(subprotocol: agreed.name, options: options) else { return }
      socket.lastWordsToOversizedMessage = { [uploadLimits] in uploadLimits.refusal(of: agreed.version) }
      try app.accept(socket, version: agreed.version, claims: claims)
    } catch let error as APIError {
      upgrade.refuse(Server.httpResponse(error.response))
    } catch NegotiationError.partitionBasedOnly {
      tellToSwitch(upgrade)
    } catch let error as NegotiationError {
      upgrade.refuse(Server.httpResponse(APIError.badRequest(error.description).response))
    } catch {
      logger.error("upgrade failed", metadata: ["error": "\(error)"])
      upgrade.refuse(Server.httpResponse(APIError.internalError.response))
    }
  }

  /// Realm's clients take a refused connection for one that may succeed another time, and do not tell their app why. The
  /// error for this case they do.
  private func tellToSwitch(_ upgrade: WebSocketUpgrade) {
    let offer = upgrade.offeredProtocols.joined(separator: ",")
    let reason = NegotiationError.partitionBasedOnly.description
    guard let agreed = SubprotocolNegotiation.selectPartitionBased(offer: offer) else {
      return upgrade.refuse(Server.httpResponse(APIError.badRequest(reason).response))
    }
    guard let socket = upgrade.accept(subprotocol: agreed.name, options: WebSocketOptions()) else { return }
    let info = ErrorInfo(
      message: "This app uses Flexible Sync: \(reason)",
      action: .applicationBug,
      tryAgain: false
    )
    let error = ErrorMessage(code: .switchToFlexibleSync, session: 0, info: info)
    socket.send(ServerMessage.error(error).encode(version: agreed.version))
    socket.drop()
  }

  /// `/api/client/v2.0/app/<id>/realm-sync`, with the token in the query, or in a header as old clients send it
  /// (protocol §1.2).
  private func authenticate(_ request: HTTPRequest) throws -> (ServedApp, TokenClaims) {
    let prefix = ClientAPI.prefix + "/app/"
    let parts =
      request.path.hasPrefix(prefix) ? request.path.dropFirst(prefix.count).split(separator: "/") : []
    guard parts.count == 2, parts[1] == "realm-sync" else {
      throw APIError(
        status: 404,
        code: "NotFound",
        message: "this server has no web socket at \(request.path)"
      )
    }
    guard let app = apps[String(parts[0])] else { throw APIError.appNotFound(String(parts[0])) }
    let token = request.queryValue("baas_at") ?? Server.bearerToken(request)
    return (app, try api.authenticate(accessToken: token, appID: app.app.appID))
  }
}
