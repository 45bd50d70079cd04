// SPDX-License-Identifier: Apache-2.0

/// What a realm's app wants to become of changes that are not uploaded when the realm is reset.
enum PeerResetMode: CaseIterable {
  case recover
  case discard
  /// They are recovered, unless a reset before has not come to its end.
  case recoverOrDiscard

  func recovers(afterUnfinishedReset isSecond: Bool) -> Bool {
    switch self {
    case .recover: true
    case .discard: false
    case .recoverOrDiscard: !isSecond
    }
  }
}
