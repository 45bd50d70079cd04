// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage

/// How users of another server can log in here: the other server gives neither passwords nor the secrets of keys away.
struct WaysBack {
  let providers: AuthenticationProviders

  /// Adds to a plan what the user needs to log in, and notes whether that will be possible.
  func complete(_ plan: inout MigrationPlanner.Plan, _ store: ServerStore?) throws {
    for identity in plan.user.identities {
      switch identity.provider {
      case Provider.customToken: plan.hasWayBack = plan.hasWayBack || providers.customToken != nil
      case Provider.emailPassword:
        let known = try store?.identity(provider: identity.provider, subject: identity.subject)
        if known?.passwordHash != nil, providers.emailPassword != nil { plan.hasWayBack = true }
      default: break
      }
    }
    if providers.allowsAPIKeys,
      try store?.apiKeys(userID: plan.user.id).contains(where: { !$0.isDisabled }) == true
    {
      plan.hasWayBack = true
    }
  }
}
