// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncTransport
import FlexSyncWire

/// Opens the web socket of a session: locates the server, refreshes an expired access token, upgrades (protocol
/// §1). Confined to the loop.
final class SyncConnector: @unchecked Sendable {
  typealias Completion = @Sendable (ConnectionOutcome) -> Void

  private let app: App
  private let userID: String
  private let client: WebSocketClient
  /// The number of attempts, by which the answer to an abandoned one is recognised.
  private var attempt = 0
  private var pending: PendingOperation?

  init(user: User) {
    app = user.app
    userID = user.id
    client = WebSocketClient(loop: user.app.runtime.loop, tls: user.app.tls)
  }

  /// Starts a connection attempt. Its completion is called once, unless the attempt is abandoned.
  func connect(completion: @escaping Completion) {
    attempt += 1
    let attempt = attempt
    app.service.locate { [weak self] result in
      guard let self, self.attempt == attempt else { return }
      switch result {
      case .failure(let error): completion(.failed(error))
      case .success(let location): self.takeToken(location, attempt, completion)
      }
    }
  }

  /// Abandons the attempt under way; its completion is no longer called.
  func abandon() {
    attempt += 1
    pending?.cancel()
    pending = nil
  }

  /// Fetches a new access token, after the location if the server has moved.
  func renew(location: Bool, completion: @escaping @Sendable (Result<Void, CoreError>) -> Void) {
    guard location else { return app.refreshAccessToken(of: userID, completion: completion) }
    app.service.forgetLocation()
    app.service.locate { [app, userID] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success: app.refreshAccessToken(of: userID, completion: completion)
      }
    }
  }

  private func takeToken(_ location: Location, _ attempt: Int, _ completion: @escaping Completion) {
    guard let token = app.tokens(of: userID)?.access else { return completion(.failed(.loggedOut(userID))) }
    guard JSONWebToken(token)?.isExpired() != false else {
      return upgrade(location.syncURL, token: token, attempt, completion)
    }
    app.refreshAccessToken(of: userID) { [weak self] result in
      guard let self, self.attempt == attempt else { return }
      switch result.flatMap({
        self.app.tokens(of: self.userID).map(Result.success) ?? .failure(.loggedOut(self.userID))
      }) {
      case .failure(let error): completion(.failed(error))
      // Connect even if the new token seems expired: a wrong clock must not keep us from trying.
      case .success(let tokens): self.upgrade(location.syncURL, token: tokens.access, attempt, completion)
      }
    }
  }

  private func upgrade(_ url: WebURL, token: String, _ attempt: Int, _ completion: @escaping Completion) {
    var url = url
    url.target += "?baas_at=\(PercentEncoding.encode(token))"
    let loop = app.runtime.loop
    let settings = app.requestSettings
    pending = client.connect(
      url,
      protocols: SubprotocolNegotiation.clientOffer,
      headers: settings.upgradeHeaders(token: token),
      timeoutMilliseconds: settings.timeouts.connect
    ) { [weak self] outcome in
      guard let self, self.attempt == attempt else {
        if case .connected(let socket) = outcome { socket.drop() }
        return
      }
      pending = nil
      switch outcome {
      case .connected(let socket): completion(.connected(LoopBound(socket, loop: loop)))
      case .refused(let response): completion(.refused(status: response.status))
      case .failed(let error):
        // The server may have moved; the next attempt asks for its location.
        app.service.forgetLocation()
        completion(.failed(CoreError(mapping: error)))
      }
    }
  }
}
