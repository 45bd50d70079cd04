// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncServerStore

/// The ways in which users of another server can log in here, given that the other server discloses neither passwords
/// nor the secrets of keys.
struct WaysBack {
  let providers: AuthenticationProviders
  /// Seconds since 1970.
  let now: Int64
  /// Password hashes by e-mail address.
  var passwords: [String: String] = [:]
  /// Secrets of keys by the identifier of their identity.
  var apiKeys: [String: String] = [:]
  /// The time until which the first password is accepted, in seconds since 1970.
  var firstPasswordEnd: Int64?
  var sendsMails = false
  var givesAnonymousKeys = false

  /// The name of the key given to formerly anonymous users.
  static let anonymousKeyName = "migration"

  /// Adds to a plan what the user needs to log in, and records whether log-in will be possible.
  func complete(_ plan: inout MigrationPlanner.Plan, _ store: ServerStore?) throws {
    for identity in plan.user.identities {
      switch identity.provider {
      case Provider.emailPassword: try completeAccount(identity.subject, &plan, store)
      case Provider.customToken: if providers.customToken != nil { plan.hasWayBack = true }
      case Provider.apiKey: try completeKey(identity.subject, &plan, store)
      default: break
      }
    }
    guard !plan.hasWayBack, try !hasKey(plan.user, store) else {
      plan.hasWayBack = true
      return
    }
    if givesAnonymousKeys, !plan.user.isDisabled, try isAnonymous(plan.user, store) {
      plan.needsAnonymousKey = true
      plan.hasWayBack = true
    }
  }

  /// Returns whether a user has only ever been anonymous, both there and here. A user who has a key here, even a
  /// disabled one, gets no other.
  private func isAnonymous(_ user: MigratedUser, _ store: ServerStore?) throws -> Bool {
    let known = try store?.identities(userID: user.id) ?? []
    let providers = user.identities.map(\.provider) + known.map(\.provider)
    guard !providers.isEmpty, providers.allSatisfy({ $0 == Provider.anonymous }) else { return false }
    return try store?.apiKeys(userID: user.id).isEmpty ?? true
  }

  private func completeAccount(_ email: String, _ plan: inout MigrationPlanner.Plan, _ store: ServerStore?)
    throws
  {
    guard providers.emailPassword != nil else { return }
    let known = try store?.identity(provider: Provider.emailPassword, subject: email)?.passwordHash
    var secret = AccountSecret(known)
    if !secret.isHash {
      if let hash = passwords[email] {
        secret = AccountSecret(hash)
      } else if let firstPasswordEnd, !plan.user.isDisabled {
        secret = .firstPassword(until: firstPasswordEnd)
      }
    }
    if secret != AccountSecret(known) { plan.secrets[email] = secret.text }
    switch secret {
    case .hash, .bcrypt:
      plan.hasWayBack = true
      return
    case .firstPassword(let time): if time > now { plan.hasWayBack = true }
    case .none: break
    }
    if try store?.hasMailToken(email: email, purpose: .passwordReset, at: now) == true {
      plan.hasWayBack = true
    } else if sendsMails, !plan.user.isDisabled {
      plan.mailAddresses.append(email)
      plan.hasWayBack = true
    }
  }

  private func completeKey(_ id: String, _ plan: inout MigrationPlanner.Plan, _ store: ServerStore?) throws {
    guard providers.allowsAPIKeys, let key = apiKeys[id], try store?.apiKey(id: id) == nil else { return }
    plan.apiKeys.append((id, key))
    plan.hasWayBack = true
  }

  private func hasKey(_ user: MigratedUser, _ store: ServerStore?) throws -> Bool {
    guard providers.allowsAPIKeys else { return false }
    return try store?.apiKeys(userID: user.id).contains { !$0.isDisabled } == true
  }
}
