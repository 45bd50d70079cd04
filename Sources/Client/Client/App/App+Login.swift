// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Login, logout and the other operations on users. All completions run on the loop.

extension App {
  typealias Completion<Value> = ServiceClient.Completion<Value>

  /// Sends a request to the email/password provider.
  func perform(_ request: EmailPasswordRequest, completion: @escaping Completion<Void>) {
    post { [self] in service.send(request.request(configuration)) { completion($0.map { _ in () }) } }
  }

  /// Logs in and makes the user the current one.
  func logIn(_ proof: Credentials, completion: @escaping Completion<User>) {
    post { [self] in
      if proof == .anonymous(isReused: true), let known = loggedInAnonymousUser {
        return completion(CoreError.catching { try becomeCurrent(known) })
      }
      let request = ServiceRequest.logIn(proof, configuration)
      service.send(request) { [self] result in
        switch result.tryMap({ try Login($0, action: request.action) }) {
        case .success(let login): finish(login, provider: proof.provider, completion)
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  private var loggedInAnonymousUser: User? {
    credentials.current.records.first { $0.isAnonymous && $0.tokens != nil }.map(user)
  }

  private func becomeCurrent(_ user: User) throws -> User {
    try switchTo(user)
    return user
  }

  /// Completes a login by reading the profile of the user. The login counts only once the profile has been read
  /// too.
  private func finish(_ login: Login, provider: String, _ completion: @escaping Completion<User>) {
    let request = ServiceRequest.profile(accessToken: login.tokens.access)
    service.send(request) { [self] result in
      completion(result.tryMap { try accept(login, provider, UserProfile($0, action: request.action)) })
    }
  }

  private func accept(_ login: Login, _ provider: String, _ profile: UserProfile) throws -> User {
    var record = UserRecord(id: login.userID, provider: provider, tokens: login.tokens)
    record.profile = profile
    record.customData = login.customData
    try credentials.update { $0.logIn(record) }
    state.withLock { $0.accessTokens[record.id] = nil }
    tellObservers(of: record.id, isLoggedIn: true)
    return user(record)
  }

  /// Links an identity to a logged-in user and makes the user the current one.
  func link(_ user: User, _ proof: Credentials, completion: @escaping Completion<User>) {
    post { [self] in
      if case .anonymous = proof {
        return completion(.failure(.invalidArgument("anonymous credentials cannot be linked to a user")))
      }
      let request = ServiceRequest.logIn(proof, isLinking: true, configuration)
      send(request, as: user.id, with: .access) { [self] result in
        let token = result.tryMap { answer in
          try take(ServiceAnswer.required("access_token", in: answer, action: request.action), of: user.id)
        }
        if case .failure(let error) = token { return completion(.failure(error)) }
        readProfile(of: user) { [self] profile in completion(profile.tryMap { try becomeCurrent(user) }) }
      }
    }
  }

  private func readProfile(of user: User, completion: @escaping Completion<Void>) {
    let request = ServiceRequest.profile()
    send(request, as: user.id, with: .access) { [self] result in
      completion(
        result.tryMap { answer in
          let profile = try UserProfile(answer, action: request.action)
          try credentials.update { known in known.update(user.id) { $0.profile = profile } }
        }
      )
    }
  }

  /// Performs an operation on the API keys of a user and passes on the keys that the server describes.
  func perform(_ request: APIKeyRequest, of user: User, completion: @escaping Completion<[APIKey]>) {
    post { [self] in
      send(request.request, as: user.id, with: .refresh) { result in
        completion(result.tryMap(request.keys))
      }
    }
  }
}

// MARK: - Ending

extension App {
  /// Logs the user out on this device, and on the server if it can be reached. An anonymous user is removed, and
  /// its files are deleted as soon as they are closed.
  func logOut(_ user: User, completion: @escaping Completion<Void>) {
    post { [self] in completion(CoreError.catching { try endLogin(of: user.id) }) }
  }

  /// Logs the user out, forgets the user and deletes the user's default realm files.
  func remove(_ user: User, completion: @escaping Completion<Void>) {
    post { [self] in
      completion(
        CoreError.catching {
          guard credentials.current[user.id] != nil else { throw CoreError.removed(user.id) }
          try RealmFiles.deleteAll(in: user.folder)
          try endLogin(of: user.id)
          try credentials.update { $0.remove(user.id) }
        }
      )
    }
  }

  /// Deletes the account on the server, forgets the user, and deletes the user's files as soon as they are closed.
  func delete(_ user: User, completion: @escaping Completion<Void>) {
    post { [self] in
      send(.deleteUser, as: user.id, with: .access) { [self] result in
        completion(
          result.tryMap { _ in
            try endLogin(of: user.id, tellsServer: false)
            try forget(user.id)
          }
        )
      }
    }
  }

  /// Ends a login because the program says so. An anonymous user, who could never log in again, is forgotten.
  private func endLogin(of userID: String, tellsServer: Bool = true) throws {
    let isAnonymous = credentials.current[userID]?.isAnonymous == true
    guard try discardLogin(of: userID, tellsServer: tellsServer), isAnonymous else { return }
    try forget(userID)
  }

  /// Forgets the tokens, ends the sessions, and notifies the server without waiting for its answer, so that logging
  /// out works offline too. All files stay.
  ///
  /// - Returns: false if the user is not logged in.
  @discardableResult
  func discardLogin(of userID: String, tellsServer: Bool = true) throws -> Bool {
    guard let tokens = tokens(of: userID) else { return false }
    try credentials.update { $0.logOut(userID) }
    state.withLock { $0.accessTokens[userID] = nil }
    tellObservers(of: userID, isLoggedIn: false)
    if tellsServer {
      service.send(.logOut(tokens.refresh)) { result in
        if case .failure(let error) = result { Log.write(.info, "user '\(userID)': \(error)") }
      }
    }
    return true
  }

  /// Forgets a user and deletes the user's files as soon as they are closed.
  private func forget(_ userID: String) throws {
    try credentials.update { $0.remove(userID) }
    try RealmRegistry.removeOnceClosed(configuration.folder(ofUser: userID))
  }
}
