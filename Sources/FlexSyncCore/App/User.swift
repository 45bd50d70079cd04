// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A user of an app. What is known about the user is in the app's credentials file; this is a name for it, one object
/// per user and process. Any thread.
final class User: Sendable {
  let app: App
  /// The server's id.
  let id: String
  let provider: String
  /// The texts that C borrows.
  let lentID: LentText
  let lentProvider: LentText

  init(app: App, id: String, provider: String) {
    self.app = app
    self.id = id
    self.provider = provider
    lentID = LentText(id)
    lentProvider = LentText(provider)
  }

  var state: flx_user_state_t {
    guard let record = app.credentials.current[id] else { return .FLX_USER_REMOVED }
    return record.tokens == nil ? .FLX_USER_LOGGED_OUT : .FLX_USER_LOGGED_IN
  }

  var isLoggedIn: Bool { state == .FLX_USER_LOGGED_IN }

  /// The newest tokens; nil when logged out.
  var tokens: UserRecord.Tokens? { app.tokens(of: id) }

  /// Where the user's default realm files are.
  var folder: String { "\(app.configuration.folder)/\(id.asFileName)" }

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
}
