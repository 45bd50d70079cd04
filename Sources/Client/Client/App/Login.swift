// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// The outcome of a successful login.
struct Login: Sendable {
  let userID: String
  let tokens: UserRecord.Tokens
  /// The custom data that the access token carries.
  let customData: JSON?

  /// Reads the server's answer.
  /// - Throws: `CoreError` BAD_RESPONSE if it is incomplete or its access token is malformed.
  init(_ answer: JSON, action: String) throws {
    let access = try ServiceAnswer.required("access_token", in: answer, action: action)
    let refresh = try ServiceAnswer.required("refresh_token", in: answer, action: action)
    customData = try JSONWebToken(reading: access, action: action).customData
    userID = try ServiceAnswer.required("user_id", in: answer, action: action)
    tokens = UserRecord.Tokens(access: access, refresh: refresh)
  }
}

extension JSONWebToken {
  /// Parses an access token sent by the server.
  /// - Throws: `CoreError` BAD_RESPONSE if it is malformed.
  init(reading text: String, action: String) throws {
    guard let token = JSONWebToken(text) else {
      throw CoreError(.badResponse, "cannot \(action): the access token is not a JSON web token")
    }
    self = token
  }
}
