// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncServerSupport
import FlexSyncStore
import FlexSyncTransport
import FlexSyncWire
import Logging

/// The server's interface to one app: answering requests, opening sync connections, reloading the directory,
/// stopping. Confined to the app's loop.
final class AppEndpoint {
  let served: ServedApp
  private let api: ClientAPI
  private let uploadLimits: UploadLimits
  private let interruption: Interruption
  private let logger: Logger
  private var isStopped = false
  /// The cancellations of unanswered requests, by request number.
  private var cancellations: [Int: RequestCancellation] = [:]

  /// - Parameter interruption: Interrupts statements of the app's store.
  init(
    _ served: ServedApp,
    api: ClientAPI,
    limits: ServerLimits,
    interruption: Interruption,
    logger: Logger
  ) {
    self.served = served
    self.api = api
    uploadLimits = UploadLimits(limits)
    self.interruption = interruption
    self.logger = logger
  }

  // MARK: Requests

  /// Answers a request, immediately or later.
  ///
  /// - Parameter number: The number by which the request can be cancelled.
  func handle(_ number: Int, _ request: APIRequest, answer: @escaping (HTTPResponse) -> Void) {
    cancellations[number] = request.requester.cancellation
    api.handle(request) { [weak self] response in
      self?.cancellations[number] = nil
      answer(response.http)
    }
  }

  /// Cancels a request whose client is no longer waiting for the answer.
  func cancel(_ number: Int) { cancellations.removeValue(forKey: number)?.cancel() }

  // MARK: Sync connections

  /// Opens a sync connection or refuses it.
  func upgrade(_ upgrade: WebSocketUpgrade) {
    // Nothing would end the connection later.
    if isStopped { return upgrade.refuse(APIError.stopping.response.http) }
    do {
      let claims = try api.authenticate(accessToken: upgrade.request.syncToken, appID: served.app.appID)
      let offer = upgrade.offeredProtocols.joined(separator: ",")
      let agreed = try SubprotocolNegotiation.select(offer: offer)
      var options = WebSocketOptions()
      options.maximumMessageBytes = uploadLimits.messageByteCount
      guard let socket = upgrade.accept(subprotocol: agreed.name, options: options) else { return }
      socket.lastWordsToOversizedMessage = { [uploadLimits] in uploadLimits.refusal(of: agreed.version) }
      do {
        try served.accept(socket, version: agreed.version, claims: claims)
      } catch {
        socket.drop()
        throw error
      }
    } catch let error as APIError {
      upgrade.refuse(error.response.http)
    } catch let error as AccountError {
      upgrade.refuse(APIError(error).response.http)
    } catch NegotiationError.partitionBasedOnly {
      tellToSwitch(upgrade)
    } catch let error as NegotiationError {
      upgrade.refuse(APIError.badRequest(error.description).response.http)
    } catch {
      logger.error("upgrade failed", metadata: ["error": "\(error)"])
      upgrade.refuse(APIError.internalError.response.http)
    }
  }

  /// Refuses a client of partition-based sync. Realm's clients retry a refused connection without reporting it to
  /// their app, but they do report the protocol error for this case.
  private func tellToSwitch(_ upgrade: WebSocketUpgrade) {
    let offer = upgrade.offeredProtocols.joined(separator: ",")
    let reason = NegotiationError.partitionBasedOnly.description
    guard let agreed = SubprotocolNegotiation.selectPartitionBased(offer: offer) else {
      return upgrade.refuse(APIError.badRequest(reason).response.http)
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

  // MARK: Lifecycle

  /// Reloads the app directory. Sessions not affected by the changes continue. If the directory cannot be used, the
  /// app continues unchanged and the reason is logged.
  func reload() {
    let appID = served.app.appID
    do {
      let app = try AppDirectory.load(served.app.directory)
      guard app.appID == appID else {
        throw ServerError(
          "its app_id is now \(app.appID), which has neither the users nor the data of \(appID). If that is a mistake, "
            + "change it back; to serve \(app.appID) instead, restart the server"
        )
      }
      try served.reload(app)
      for warning in app.warnings { logger.warning("\(warning)", metadata: ["app": "\(appID)"]) }
      logger.info("reloaded \(appID) from \(app.directory)")
    } catch {
      logger.error(
        "could not reload \(served.app.directory); the app continues unchanged",
        metadata: ["app": "\(appID)", "error": "\(error)"]
      )
    }
  }

  /// Finishes queued work and disconnects all clients. Requests are still answered.
  func stop() {
    isStopped = true
    interruption.withdraw()
    served.stop()
  }
}
