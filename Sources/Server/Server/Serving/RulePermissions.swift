// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncRules

/// The permissions that an app's rules grant to its users, based on their account data. Confined to the app's loop.
struct RulePermissions: PermissionSource {
  let rules: RuleBook
  let customUserData: CustomUserDataPlace?
  private let accounts: AccountService

  init(_ app: AppConfiguration, accounts: AccountService) {
    rules = app.rules
    self.accounts = accounts
    customUserData =
      if rules.usesCustomData, let data = app.customUserData, let className = data.className {
        CustomUserDataPlace(className: className, userField: data.userIDField)
      } else {
        nil
      }
  }

  func permissions(of userID: String, schema: Schema) throws -> Permissions {
    guard let user = try accounts.userContext(id: userID) else { return Permissions(classes: [:]) }
    return rules.permissions(of: user, schema: schema)
  }
}
