// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// The environment of a session: its user, its route to the server, and the receiver of its reports. In an app this
/// is a `UserSessionHost`; a simulation supplies its own. Confined to the loop.
package protocol SessionHost: AnyObject {
  /// The name of the session in the log.
  var name: String { get }
  /// The loop on which the session runs.
  var loop: any Scheduler { get }
  /// Whether there is a user to sync for.
  var isLoggedIn: Bool { get }
  /// Whether the user can log in again once the server has refused the login.
  var canLogInAgain: Bool { get }
  /// Returns a random number to seed generators with.
  func makeSeed() -> UInt64

  /// The version of the schema that the app on the server must have; 0 if the program does not number it.
  var schemaVersion: UInt64 { get }
  /// The times of the next connection.
  var timeouts: ConnectionTimeouts { get }

  /// Asks for the right to sync the file, which one process has at a time.
  ///
  /// - Returns: whether this process has it; otherwise the session's `elected` is called once it has.
  func becomeAgent() throws -> Bool
  /// Gives up the right, or the wait for it.
  func resignAsAgent()

  /// Starts calling the session's `userChanged` when the user logs in or out.
  func observeLogin()
  /// Ends `observeLogin`.
  func stopObservingLogin()
  /// Ends a login that the server no longer accepts.
  func endRefusedLogin()

  /// Starts a connection attempt. Its completion is called once, unless the attempt is abandoned.
  func connect(completion: @escaping @Sendable (ConnectionOutcome) -> Void)
  /// Abandons the attempt under way; its completion is no longer called.
  func abandonConnecting()
  /// Fetches a new access token, after the location of the server if that has moved.
  func renew(location: Bool, completion: @escaping @Sendable (Result<Void, CoreError>) -> Void)

  /// Whether the app has asked to suspend the session, which has not happened yet. What was committed since must not be
  /// sent.
  var isSuspending: Bool { get }
  /// Publishes a new state of the session.
  func publish(_ state: SessionState)
  /// Publishes a new state of its connection.
  func publish(_ state: ConnectionState)
  /// Reports an error to the app.
  func report(_ error: SyncError)

  /// The app's choice of what to do when the server demands a client reset.
  var clientResetMode: ClientResetMode { get }
  /// Called when a fresh copy is about to replace the file.
  func clientResetBegins() throws
  /// Called when a fresh copy has replaced the file, or could not.
  /// - Parameter fate: the fate of changes that were not uploaded; nil if the reset failed.
  func clientResetEnded(_ fate: LocalChangesFate?) throws
}

extension SessionHost {
  package var canLogInAgain: Bool { true }
  package var schemaVersion: UInt64 { 0 }
  package var timeouts: ConnectionTimeouts { ConnectionTimeouts() }
  package func becomeAgent() -> Bool { true }
  package func resignAsAgent() {}
  package var isSuspending: Bool { false }
  package var clientResetMode: ClientResetMode { .recover }
  package func clientResetBegins() {}
  package func clientResetEnded(_ fate: LocalChangesFate?) {}
}

/// The outcome of a connection attempt.
package enum ConnectionOutcome: Sendable {
  case connected(LoopBound<any MessageChannel>)
  /// The server answered the upgrade with a status other than 101.
  case refused(status: Int)
  case failed(CoreError)
}
