// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A user of an app. The user's data are stored in the app's credentials file; this object merely stands for the
/// user. There is one object per user and process. Any thread.
final class User: Sendable {
  enum State {
    /// The user is stored on this device, but has to log in again.
    case loggedOut
    case loggedIn
    /// The user was removed from this device or deleted on the server.
    case removed
  }

  let app: App
  /// The id of the user on the server.
  let id: String
  /// The id, as borrowed by C.
  let lentID: LentText
  /// Keeps the handle of the app that the C interface lends with this user.
  let appLoan = Loan()
  /// The handle through which C holds the user.
  let handleSlot: HandleSlot? = HandleSlot()
  private let firstProvider: String

  init(app: App, id: String, provider: String) {
    self.app = app
    self.id = id
    firstProvider = provider
    lentID = LentText(id)
  }

  /// The stored record; nil if the user was removed.
  private var record: UserRecord? { app.credentials.current[id] }

  /// The provider of the identity used for the last login.
  var provider: String { record?.provider ?? firstProvider }

  var state: State {
    guard let record else { return .removed }
    return record.tokens == nil ? .loggedOut : .loggedIn
  }

  /// Whether the user has no identity with which to log in again.
  var isAnonymous: Bool { record?.isAnonymous ?? false }

  var isLoggedIn: Bool { state == .loggedIn }

  /// The newest tokens; nil if logged out.
  var tokens: UserRecord.Tokens? { app.tokens(of: id) }

  /// The profile as of the last login or link; empty for a removed user.
  var profile: UserProfile { record?.profile ?? UserProfile() }

  /// The custom data of the newest access token: an object; nil if there is none or the user is logged out.
  var customData: JSON? { record?.customData }

  /// Fetches a new access token, and with it the custom data. Completes on the loop.
  func refreshCustomData(completion: @escaping App.Completion<Void>) {
    app.post { [self] in app.refreshAccessToken(of: id, completion: completion) }
  }

  /// The sessions of the user's open realms.
  var sessions: [SyncSession] { app.sessions.filter { $0.user === self } }

  /// The folder of the user's default realm files.
  var folder: String { app.configuration.folder(ofUser: id) }

  /// The path of the realm file for configurations that name none.
  var defaultRealmPath: String { "\(folder)/flx_sync_default.realm" }

  /// - Throws: `CoreError` USER_LOGGED_OUT.
  func requireLoggedIn() throws {
    guard isLoggedIn else { throw CoreError.loggedOut(id) }
  }
}

extension CoreError {
  static func loggedOut(_ userID: String) -> CoreError {
    CoreError(.userLoggedOut, "the user '\(userID)' is logged out; log in again")
  }

  static func removed(_ userID: String) -> CoreError {
    CoreError(.userNotFound, "the user '\(userID)' was removed from this device; log in again")
  }
}
