// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

/// A mail that somebody is to get: a confirmation or a password reset. The server sends none itself; it hands them to
/// the operator's program or folder (`MailDelivery`).
package struct AccountMail: Sendable {
  var appID: String
  var appName: String
  var purpose: MailTokenRecord.Purpose
  /// The address, in lower case.
  var recipient: String
  /// From the app directory.
  var subject: String?
  /// The page of the app that takes the token, from the app directory.
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

  /// The page with the token, as App Services writes it.
  var link: String? {
    guard let page else { return nil }
    let separator = page.contains("?") ? "&" : "?"
    return "\(page)\(separator)token=\(token)&tokenId=\(tokenID)"
  }

  /// What programs get. Docs/Authentication.md describes it.
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
