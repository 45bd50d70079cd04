// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncAccounts

/// Options for logins and the limits on attempts.
struct AccountOptions: ParsableArguments {
  private static let defaults = AccountPolicy()

  @OptionGroup var mail: MailOptions

  @Option(help: ArgumentHelp("How many days users stay logged in.", valueName: "days"))
  var sessionDays = AccountOptions.defaults.sessionSeconds / 86_400

  @Option(help: ArgumentHelp("How many minutes an access token is valid.", valueName: "minutes"))
  var accessTokenMinutes = AccountOptions.defaults.accessTokenSeconds / 60

  @Option(help: ArgumentHelp("How many minutes a token sent by mail is valid.", valueName: "minutes"))
  var mailTokenMinutes = AccountOptions.defaults.mailTokenSeconds / 60

  @Option(help: ArgumentHelp("The length of the window in which attempts are counted.", valueName: "minutes"))
  var attemptMinutes = AccountOptions.defaults.attemptWindowSeconds / 60

  @Option(help: .count("How many wrong passwords one account allows in that window."))
  var failuresPerAccount = AccountOptions.defaults.failuresPerAccount

  @Option(help: .count("How many failed logins one network address is allowed in that window."))
  var failuresPerAddress = AccountOptions.defaults.failuresPerAddress

  @Option(help: .count("How many accounts one network address may register in that window."))
  var registrationsPerAddress = AccountOptions.defaults.registrationsPerAddress

  @Option(help: .count("How many mails to one email address may be requested in that window."))
  var mailsPerAccount = AccountOptions.defaults.mailsPerAccount

  @Option(help: .count("How many mails one network address may request in that window."))
  var mailsPerAddress = AccountOptions.defaults.mailsPerAddress

  @Flag(help: "Take client addresses from X-Forwarded-For; use only behind a proxy that sets it.")
  var trustForwardedAddress = false

  func validate() throws {
    let times: KeyValuePairs = [
      "--session-days": sessionDays, "--access-token-minutes": accessTokenMinutes,
      "--mail-token-minutes": mailTokenMinutes, "--attempt-minutes": attemptMinutes,
    ]
    for (name, time) in times where !(1...1_000_000).contains(time) {
      throw ValidationError("\(name) is \(time); it must be from 1 to 1000000")
    }
    let counts: KeyValuePairs = [
      "--failures-per-account": failuresPerAccount, "--failures-per-address": failuresPerAddress,
      "--registrations-per-address": registrationsPerAddress, "--mails-per-account": mailsPerAccount,
      "--mails-per-address": mailsPerAddress,
    ]
    for (name, count) in counts where count < 1 {
      throw ValidationError("\(name) is \(count); it must be at least 1")
    }
  }

  var policy: AccountPolicy {
    var policy = AccountPolicy()
    policy.sessionSeconds = sessionDays * 86_400
    policy.accessTokenSeconds = accessTokenMinutes * 60
    policy.mailTokenSeconds = mailTokenMinutes * 60
    policy.attemptWindowSeconds = attemptMinutes * 60
    policy.failuresPerAccount = failuresPerAccount
    policy.failuresPerAddress = failuresPerAddress
    policy.registrationsPerAddress = registrationsPerAddress
    policy.mailsPerAccount = mailsPerAccount
    policy.mailsPerAddress = mailsPerAddress
    policy.trustsForwardedAddress = trustForwardedAddress
    return policy
  }
}

extension ArgumentHelp {
  fileprivate static func count(_ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: "count") }
}
