// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

/// Accounts imported from another server without a password.
extension AccountService {
  /// Stores the password of a successful log-in if it is the account's first one. Throws if the user is disabled,
  /// because nobody may claim such an account.
  ///
  /// - Returns: The updated identity.
  func keepFirstPassword(_ match: AccountSecret.Match, of identity: IdentityRecord) throws -> IdentityRecord {
    guard let hash = match.replacement else { return identity }
    if let userID = identity.userID, try store.user(id: userID)?.isDisabled == true {
      throw AccountError.userDisabled
    }
    var identity = identity
    identity.passwordHash = hash
    try store.write { try store.update(identity) }
    logger.notice(
      "an account migrated from another server has adopted the first password used to log in",
      metadata: ["user": "\(identity.userID ?? "")"]
    )
    return identity
  }
}
