// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncJSON
import FlexSyncServerStore

/// An e-mail for a user: a confirmation or a password reset. The server sends no e-mail itself; it passes the
/// message to the operator's program or folder (`MailDelivery`).
package struct AccountMail: Sendable {
  let record: MailTokenRecord
  private let token: String
  private let appID: String
  private let appName: String
  /// From the app directory.
  private let subject: String?
  /// The page of the app that accepts the token, from the app directory.
  private let page: String?

  /// - Parameters:
  ///   - record: The token's record, which names the purpose and the recipient.
  ///   - provider: The provider in the app directory, with the subjects and the pages; nil if it is not known.
  package init(
    _ record: MailTokenRecord,
    token: String,
    appID: String,
    appName: String,
    _ provider: EmailPasswordProvider?
  ) {
    self.record = record
    self.token = token
    self.appID = appID
    self.appName = appName
    let isConfirmation = record.purpose == .confirmation
    subject = isConfirmation ? provider?.confirmationSubject : provider?.resetSubject
    page = isConfirmation ? provider?.confirmationURL : provider?.resetURL
  }

  /// The URL of the page including the token, in the form App Services uses.
  private var link: String? {
    guard let page else { return nil }
    let separator = page.contains("?") ? "&" : "?"
    return "\(page)\(separator)token=\(token)&tokenId=\(record.id)"
  }

  /// The JSON passed to the operator's program or folder. Docs/Authentication.md describes it.
  package var json: JSON {
    [
      "type": .string(record.purpose == .confirmation ? "confirmation" : "password-reset"),
      "app_id": .string(appID),
      "app_name": .string(appName),
      "to": .string(record.email),
      "subject": .string(subject ?? defaultSubject),
      "url": link.map(JSON.string) ?? .null,
      "token": .string(token),
      "token_id": .string(record.id),
      "expires": .integer(record.expires),
    ]
  }

  private var defaultSubject: String {
    switch record.purpose {
    case .confirmation: "Confirm your email address for \(appName)"
    case .passwordReset: "Reset your password for \(appName)"
    }
  }
}
