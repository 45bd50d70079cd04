// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncScheduling
import FlexSyncServerStore

/// Sends e-mails with which users set a password, one after another.
struct ResetMails {
  let store: ServerStore
  let app: AppConfiguration
  let delivery: MailDelivery
  let clock: WallClock
  /// The lifetime of an e-mail's token, in seconds.
  let lifetime: Int64

  /// - Returns: The number of e-mails handed over, and the errors for the others. The next run sends those again.
  func send(to addresses: [String]) throws -> (count: Int, errors: [String]) {
    let editor = AccountEditor(store: store, clock: clock)
    var errors: [String] = []
    for email in addresses {
      let (record, token) = try store.write {
        try editor.makeMailToken(.passwordReset, email: email, lifetime: lifetime)
      }
      let provider = app.providers.emailPassword
      let mail = AccountMail(record, token: token, appID: app.appID, appName: app.name, provider)
      do {
        try delivery.deliver(mail.json)
      } catch {
        try store.write { try store.deleteMailTokens(email: email) }
        errors.append("\(email): \(error)")
      }
    }
    return (addresses.count - errors.count, errors)
  }
}
