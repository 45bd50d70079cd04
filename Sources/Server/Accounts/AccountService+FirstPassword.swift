// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

/// Accounts that came from another server without a password.
extension AccountService {
  /// Keeps the password that somebody has logged in with, if it is the first one of the account. A user who is disabled
  /// has nobody who could use it rightly.
  ///
  /// - Returns: The identity as it is now.
  func keepFirstPassword(_ match: AccountSecret.Match, of identity: IdentityRecord) throws -> IdentityRecord {
    guard let hash = match.replacement else { return identity }
    if let userID = identity.userID, try store.user(id: userID)?.isDisabled == true {
      throw AccountError.userDisabled
    }
    var identity = identity
    identity.passwordHash = hash
    try store.write { try store.update(identity) }
    logger.notice(
      "an account of another server has taken the first password that was used",
      metadata: ["user": "\(identity.userID ?? "")"]
    )
    return identity
  }
}
