// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The app's choice of what to do when the server demands a client reset (protocol §9.2).
public enum ClientResetMode: Hashable, Sendable {
  /// The app handles it.
  case manual
  /// A fresh copy replaces the file; changes that were not uploaded are lost.
  case discard
  /// A fresh copy replaces the file; changes that were not uploaded are applied to it.
  case recover
  /// Like `recover`, or like `discard` if recovery is impossible or forbidden.
  case recoverOrDiscard
}

/// The fate of changes that were not uploaded when a fresh copy replaces a file.
public enum LocalChangesFate: Hashable, Sendable {
  case discarded
  case recovered
}

/// The client's reaction to the demand for a client reset.
enum ClientResetDecision: Hashable, Sendable {
  /// The app must handle it.
  case manual
  case perform(LocalChangesFate)
  /// No option that the app allows is left. The reason is worded to follow "The client reset failed: ".
  case fail(String)

  /// Decides by the table of protocol §9.2. A reset after which the client could not catch up with the server is
  /// not repeated in the same way, so that client and server cannot loop forever.
  ///
  /// - Parameters:
  ///   - isRecoveryAllowed: whether the server allows changes to be applied to the fresh copy.
  ///   - previous: what the last reset did, if the client has not caught up with the server since.
  init(mode: ClientResetMode, isRecoveryAllowed: Bool, previous: LocalChangesFate?) {
    switch (mode, previous) {
    case (.manual, _): self = .manual
    case (_, .discarded), (.recover, .recovered):
      self = .fail("the server demands another client reset right after the last one")
    case (.discard, _): self = .perform(.discarded)
    case (.recover, nil):
      self =
        isRecoveryAllowed
        ? .perform(.recovered) : .fail("the server forbids recovering unsynced changes")
    case (.recoverOrDiscard, _):
      self = .perform(isRecoveryAllowed && previous == nil ? .recovered : .discarded)
    }
  }
}

/// The download of a fresh copy: first the empty set 0, which carries the schema, then the set that is in force in
/// the file (protocol §9.3).
struct FreshCopyDownload: Hashable, Sendable {
  /// The next step of the download.
  enum Step: Hashable, Sendable {
    /// Commit the wanted set in the fresh copy, under its version in the file.
    case commitWantedSet
    /// The copy is complete; end its session.
    case endSession
    /// The copy cannot be obtained. The reason is worded to follow "The client reset failed: ".
    case fail(String)
  }

  private let wanted: QueryVersion

  /// - Parameter wanted: the version of the set that is in force in the file.
  init(wanted: QueryVersion) { self.wanted = wanted }

  /// Returns the next step after a set of the copy has reached a state; nil if there is nothing to do.
  func step(after version: QueryVersion, _ state: SubscriptionSetState, message: String?) -> Step? {
    switch state {
    case .complete where version == wanted: .endSession
    case .complete where version == 0: .commitWantedSet
    case .error: .fail("the server rejected the subscriptions: \(message ?? "")")
    default: nil
    }
  }
}
