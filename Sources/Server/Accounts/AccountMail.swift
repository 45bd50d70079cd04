// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

/// An e-mail for a user: a confirmation or a password reset. The server sends no e-mail itself; it passes the
/// message to the operator's program or folder (`MailDelivery`).
package struct AccountMail: Sendable {
  var appID: String
  var appName: String
  var purpose: MailTokenRecord.Purpose
  /// The e-mail address, in lower case.
  var recipient: String
  /// From the app directory.
  var subject: String?
  /// The page of the app that accepts the token, from the app directory.
  var page: String?
  var tokenID: String
  var token: String
  /// Seconds since 1970.
  var expires: Int64

  package init(
    appID: String,
    appName: String,
    purpose: MailTokenRecord.Purpose,
    recipient: String,
    subject: String?,
    page: String?,
    tokenID: String,
    token: String,
    expires: Int64
  ) {
    self.appID = appID
    self.appName = appName
    self.purpose = purpose
    self.recipient = recipient
    self.subject = subject
    self.page = page
    self.tokenID = tokenID
    self.token = token
    self.expires = expires
  }

  /// The URL of the page including the token, in the form App Services uses.
  var link: String? {
    guard let page else { return nil }
    let separator = page.contains("?") ? "&" : "?"
    return "\(page)\(separator)token=\(token)&tokenId=\(tokenID)"
  }

  /// The JSON passed to the operator's program or folder. Docs/Authentication.md describes it.
  package var json: JSON {
    [
      "type": .string(purpose == .confirmation ? "confirmation" : "password-reset"),
      "app_id": .string(appID),
      "app_name": .string(appName),
      "to": .string(recipient),
      "subject": .string(subject ?? defaultSubject),
      "url": link.map(JSON.string) ?? .null,
      "token": .string(token),
      "token_id": .string(tokenID),
      "expires": .integer(expires),
    ]
  }

  private var defaultSubject: String {
    switch purpose {
    case .confirmation: "Confirm your e-mail address for \(appName)"
    case .passwordReset: "Reset your password for \(appName)"
    }
  }
}
