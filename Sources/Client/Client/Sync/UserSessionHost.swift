// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// The host of a session of an app's user. Confined to the loop.
final class UserSessionHost: SessionHost {
  private let user: User
  private let connector: SyncConnector
  private let clientResets: ClientResetObserver
  /// The session as seen by other threads; it owns the driver, which owns this host.
  weak var session: SyncSession?
  private var loginObserver: UInt64?

  let schemaVersion: UInt64

  init(user: User, schemaVersion: UInt64, _ clientResets: ClientResetObserver) {
    self.user = user
    self.schemaVersion = schemaVersion
    self.clientResets = clientResets
    connector = SyncConnector(user: user)
  }

  var name: String { user.id }
  var loop: any Scheduler { user.app.runtime.loop }
  var isLoggedIn: Bool { user.isLoggedIn }
  var canLogInAgain: Bool { !user.isAnonymous }
  func makeSeed() -> UInt64 { .random(in: 0...UInt64.max) }

  var timeouts: ConnectionTimeouts { user.app.requestSettings.timeouts }

  func becomeAgent() throws -> Bool { try session?.becomeAgent() ?? false }

  func resignAsAgent() { session?.candidacy.resign() }

  func observeLogin() {
    loginObserver = user.app.observeLogin(of: user.id) { [weak session] isLoggedIn in
      session?.userChanged(isLoggedIn: isLoggedIn)
    }
  }

  func stopObservingLogin() {
    if let loginObserver { user.app.stopObserving(loginObserver) }
    loginObserver = nil
  }

  func endRefusedLogin() { user.app.endRefusedLogin(of: user.id) }

  func connect(completion: @escaping @Sendable (ConnectionOutcome) -> Void) {
    connector.connect(completion: completion)
  }

  func abandonConnecting() { connector.abandon() }

  func renew(location: Bool, completion: @escaping @Sendable (Result<Void, CoreError>) -> Void) {
    connector.renew(location: location, completion: completion)
  }

  var isSuspending: Bool { session?.isSuspending ?? false }

  func publish(_ state: SessionState) { session?.publish(state) }

  func publish(_ state: ConnectionState) { session?.publish(state) }

  func report(_ error: SyncError) {
    guard let session else { return }
    guard error.isClientReset, let handler = clientResets.configuration.error else {
      return user.app.syncErrors.report(error, of: session)
    }
    handler(session, error)
  }

  var clientResetMode: ClientResetMode { clientResets.configuration.mode }

  func clientResetBegins() throws { try clientResets.begins() }

  func clientResetEnded(_ fate: LocalChangesFate?) throws { try clientResets.ended(fate) }
}
