// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Synchronization

// Access tokens, and requests that need one. Confined to the loop; all completions run there.

extension App {
  /// Fetches a new access token. Concurrent calls for one user share a single request. If the server refuses the
  /// refresh token, the user is logged out.
  func refreshAccessToken(of userID: String, completion: @escaping Completion<Void>) {
    guard let tokens = tokens(of: userID) else { return completion(.failure(notLoggedIn(userID))) }
    let isFirst = state.withLock { state in
      state.refreshes[userID, default: []].append(completion)
      return state.refreshes[userID]?.count == 1
    }
    guard isFirst else { return }
    let request = ServiceRequest.refresh(tokens.refresh)
    service.send(request) { [self] result in
      let token = result.tryMap {
        try ServiceAnswer.required("access_token", in: $0, action: request.action)
      }
      finishRefresh(of: userID, tokens.refresh, token)
    }
  }

  private func finishRefresh(of userID: String, _ refreshToken: String, _ result: Result<String, CoreError>) {
    var outcome = result.map { _ in () }
    switch result {
    case .success(let token):
      if isLoggedIn(userID, refreshToken) { outcome = CoreError.catching { try take(token, of: userID) } }
    case .failure(let error) where error.code == 401 || error.code == 403:
      if isLoggedIn(userID, refreshToken) { outcome = .failure(endLoginAfterRefusal(of: userID, error)) }
    case .failure: break
    }
    let waiting = state.withLock { $0.refreshes.removeValue(forKey: userID) ?? [] }
    for completion in waiting { completion(outcome) }
  }

  /// Whether the login that this refresh token belongs to still stands: the user has neither logged out nor in
  /// again since.
  private func isLoggedIn(_ userID: String, _ refreshToken: String) -> Bool {
    tokens(of: userID)?.refresh == refreshToken
  }

  /// Uses an access token from now on, and stores its custom data so that they are available offline.
  func take(_ accessToken: String, of userID: String) throws {
    let customData = try JSONWebToken(reading: accessToken, action: "refresh the login").customData
    state.withLock { $0.accessTokens[userID] = accessToken }
    guard credentials.current[userID]?.customData != customData else { return }
    try credentials.update { known in known.update(userID) { $0.customData = customData } }
  }

  /// Logs out a user whom the server no longer accepts; the user has to log in again. The files of an anonymous user,
  /// who cannot do that, stay as well, and so does the user: they may have what was never uploaded, which only the
  /// program may discard.
  func endRefusedLogin(of userID: String) {
    do {
      try discardLogin(of: userID)
    } catch {
      Log.write(.error, "user '\(userID)' must log in again, but could not be logged out: \(error)")
    }
  }

  private func endLoginAfterRefusal(of userID: String, _ refusal: CoreError) -> CoreError {
    endRefusedLogin(of: userID)
    var error = CoreError(.invalidSession, refusal.message, code: refusal.code)
    error.serverCode = refusal.serverCode
    error.serverLogURL = refusal.serverLogURL
    return error
  }

  private func notLoggedIn(_ userID: String) -> CoreError {
    credentials.current[userID] == nil ? .removed(userID) : .loggedOut(userID)
  }
}

// MARK: - Requests

extension App {
  /// The token that authorizes a request.
  enum TokenKind: Sendable {
    case access
    case refresh
  }

  /// Sends a request on behalf of a user. If the server refuses the access token, it is refreshed and the request
  /// is sent once more. If the server refuses the refresh token, the user is logged out.
  func send(
    _ request: ServiceRequest,
    as userID: String,
    with kind: TokenKind,
    completion: @escaping Completion<JSON>
  ) {
    guard let tokens = tokens(of: userID) else { return completion(.failure(notLoggedIn(userID))) }
    attempt(request, as: userID, with: kind) { [self] result in
      guard case .failure(let error) = result, error.refusesToken else { return completion(result) }
      switch kind {
      case .refresh:
        guard isLoggedIn(userID, tokens.refresh) else { return completion(result) }
        completion(.failure(endLoginAfterRefusal(of: userID, error)))
      case .access:
        refreshAccessToken(of: userID) { [self] refreshed in
          if case .failure(let error) = refreshed { return completion(.failure(error)) }
          attempt(request, as: userID, with: kind, completion: completion)
        }
      }
    }
  }

  private func attempt(
    _ request: ServiceRequest,
    as userID: String,
    with kind: TokenKind,
    completion: @escaping Completion<JSON>
  ) {
    guard let tokens = tokens(of: userID) else { return completion(.failure(notLoggedIn(userID))) }
    var request = request
    request.token = kind == .access ? tokens.access : tokens.refresh
    service.send(request, completion: completion)
  }
}

extension CoreError {
  /// Whether the server refused the request because of its token rather than its content.
  fileprivate var refusesToken: Bool { code == 401 && status != .invalidPassword }
}
