// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// What the app wants to be done when the server demands a client reset (protocol §9.2).
public enum ClientResetMode: Hashable, Sendable {
  /// The app does it.
  case manual
  /// A fresh copy takes the place of the file; changes that were not uploaded are gone.
  case discard
  /// Changes that were not uploaded are applied to the fresh copy.
  case recover
  /// As `recover`; where that is impossible or forbidden, as `discard`.
  case recoverOrDiscard
}

/// What becomes of changes that were not uploaded when a fresh copy takes the place of a file.
public enum LocalChangesFate: Hashable, Sendable {
  case discarded
  case recovered
}

/// How a client answers the demand of a reset.
public enum ClientResetDecision: Hashable, Sendable {
  /// The app has to do it.
  case manual
  case perform(LocalChangesFate)
  /// There is no way that the app allows; the reason goes on from "The client reset failed: ".
  case fail(String)

  /// Decides by the table of protocol §9.2. A reset after which the client could not catch up with the server is not
  /// tried again in the same way, so that client and server cannot go on like that for ever.
  ///
  /// - Parameters:
  ///   - isRecoveryAllowed: whether the server lets changes be applied to the fresh copy.
  ///   - previous: what the last reset did, if the client has not caught up with the server since.
  public init(mode: ClientResetMode, isRecoveryAllowed: Bool, previous: LocalChangesFate?) {
    switch (mode, previous) {
    case (.manual, _): self = .manual
    case (_, .discarded), (.recover, .recovered):
      self = .fail("the server demands another reset, though the client has just been through one")
    case (.discard, _): self = .perform(.discarded)
    case (.recover, nil):
      self =
        isRecoveryAllowed
        ? .perform(.recovered) : .fail("the server forbids that changes which it does not have are recovered")
    case (.recoverOrDiscard, _):
      self = .perform(isRecoveryAllowed && previous == nil ? .recovered : .discarded)
    }
  }
}

/// The download of a fresh copy: the empty set 0, which carries the schema, and then the set that is in force in the
/// file (protocol §9.3).
public struct FreshCopyDownload: Hashable, Sendable {
  /// What is to be done next.
  public enum Step: Hashable, Sendable {
    /// Commit the wanted set in the fresh copy, under its version in the file.
    case commitWantedSet
    /// The copy is complete: end its session.
    case endSession
    /// The copy cannot be had; the reason goes on from "The client reset failed: ".
    case fail(String)
  }

  private let wanted: QueryVersion

  /// - Parameter wanted: the version of the set that is in force in the file.
  public init(wanted: QueryVersion) { self.wanted = wanted }

  /// A set of the copy has reached a state.
  public func step(after version: QueryVersion, _ state: SubscriptionState, message: String?) -> Step? {
    switch state {
    case .complete where version == wanted: .endSession
    case .complete where version == 0: .commitWantedSet
    case .error: .fail("the server refuses the subscriptions: \(message ?? "")")
    default: nil
    }
  }
}
