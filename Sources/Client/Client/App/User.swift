// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncJSON

/// A user of an app. What is known about the user is in the app's credentials file; this is a name for it, one object
/// per user and process. Any thread.
final class User: Sendable {
  let app: App
  /// The server's id.
  let id: String
  /// The text that C borrows.
  let lentID: LentText
  /// The handle of the app that `flx_user_app` lends to C.
  let appHandle = BorrowedHandle<App>(lender: "flx_user_app")
  /// The handle that C has of the user.
  let handleSlot: HandleSlot? = HandleSlot()
  private let firstProvider: String

  init(app: App, id: String, provider: String) {
    self.app = app
    self.id = id
    firstProvider = provider
    lentID = LentText(id)
  }

  /// What the device keeps about the user; nil for one who was removed.
  private var record: UserRecord? { app.credentials.current[id] }

  /// The provider of the identity that the user logged in with last.
  var provider: String { record?.provider ?? firstProvider }

  var state: flx_user_state_t {
    guard let record else { return .FLX_USER_REMOVED }
    return record.tokens == nil ? .FLX_USER_LOGGED_OUT : .FLX_USER_LOGGED_IN
  }

  var isLoggedIn: Bool { state == .FLX_USER_LOGGED_IN }

  /// The newest tokens; nil when logged out.
  var tokens: UserRecord.Tokens? { app.tokens(of: id) }

  /// What the server told about the user at the last login or link; nothing for a user who was removed.
  var profile: UserProfile { record?.profile ?? UserProfile() }

  /// The custom data of the newest access token: an object; nil when there is none, or when logged out.
  var customData: JSON? { record?.customData }

  /// Gets a new access token, and the custom data with it. Completes on the loop.
  func refreshCustomData(completion: @escaping App.Completion<Void>) {
    app.post { [self] in app.refreshAccessToken(of: id, completion: completion) }
  }

  /// Where the user's default realm files are.
  var folder: String { app.configuration.folder(ofUser: id) }

  /// The file of a realm whose configuration names no path.
  var defaultRealmPath: String { "\(folder)/flx_sync_default.realm" }

  /// - Throws: `CoreError` USER_LOGGED_OUT.
  func requireLoggedIn() throws {
    guard isLoggedIn else { throw CoreError.loggedOut(id) }
  }
}

extension CoreError {
  static func loggedOut(_ userID: String) -> CoreError {
    CoreError(.FLX_STATUS_USER_LOGGED_OUT, "the user '\(userID)' is logged out; log in again")
  }

  static func removed(_ userID: String) -> CoreError {
    CoreError(.FLX_STATUS_USER_NOT_FOUND, "the user '\(userID)' was removed from this device; log in again")
  }
}
