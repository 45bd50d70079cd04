// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncScheduling

/// The world around a session: its user, its way to the server, and who is told what becomes of it. In an app that is
/// a `UserSessionHost`; a simulation brings its own. Confined to the loop.
package protocol SessionHost: AnyObject {
  /// What the session is called in the log.
  var name: String { get }
  /// Where the session happens.
  var loop: any Scheduler { get }
  /// Whether there is a user to sync for.
  var isLoggedIn: Bool { get }
  /// A random number, to begin others with.
  func makeSeed() -> UInt64

  /// Tells the session's `userChanged` from now on when the user logs in or out.
  func observeLogin()
  /// Ends `observeLogin`.
  func stopObservingLogin()
  /// The server does not accept the user any more.
  func endRefusedLogin()

  /// Starts an attempt to connect. Its completion is called once, unless it is abandoned.
  func connect(completion: @escaping @Sendable (ConnectionOutcome) -> Void)
  /// Forgets the attempt under way; its completion is not called any more.
  func abandonConnecting()
  /// Gets a new access token, and the location of the server before if it has moved.
  func renew(location: Bool, completion: @escaping @Sendable (Result<Void, CoreError>) -> Void)

  /// The session has reached another state.
  func publish(_ state: flx_session_state_t)
  /// Its connection has.
  func publish(_ state: flx_connection_state_t)
  /// The app has to know of an error.
  func report(_ error: SyncError)

  /// What the app wants to be done when the server demands a client reset.
  var clientResetMode: ClientResetMode { get }
  /// A fresh copy is about to take the place of the file.
  func clientResetBegins() throws
  /// A fresh copy has taken the place of the file, or could not.
  /// - Parameter fate: what became of changes that were not uploaded; nil if the reset failed.
  func clientResetEnded(_ fate: LocalChangesFate?) throws
}

extension SessionHost {
  package var clientResetMode: ClientResetMode { .recover }
  package func clientResetBegins() {}
  package func clientResetEnded(_ fate: LocalChangesFate?) {}
}

/// What came of an attempt to connect.
package enum ConnectionOutcome: Sendable {
  case connected(LoopBound<any MessageChannel>)
  /// The server answered the upgrade with another status than 101.
  case refused(status: Int)
  case failed(CoreError)
}
