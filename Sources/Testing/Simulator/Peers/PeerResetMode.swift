// SPDX-License-Identifier: Apache-2.0

/// The treatment of changes that are not uploaded when a realm is reset, as its app wants it.
enum PeerResetMode: CaseIterable {
  case recover
  case discard
  /// The changes are recovered, unless an earlier reset has not been completed.
  case recoverOrDiscard

  func recovers(afterUnfinishedReset isSecond: Bool) -> Bool {
    switch self {
    case .recover: true
    case .discard: false
    case .recoverOrDiscard: !isSecond
    }
  }
}
