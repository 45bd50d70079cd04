// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The treatment of unacknowledged local changes in a client reset (protocol §9.2).
public enum ClientResetKind: Int64, Hashable, Sendable {
  /// They are discarded, along with subscription sets that the server has not answered.
  case discard = 1
  /// They are applied to the fresh copy.
  case recover = 2
}

/// The reason why a fresh copy could not replace a file, worded to follow "The client reset failed: ", without a period at
/// its end.
public struct ClientResetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason.
  public let description: String

  init(_ description: String) { self.description = String(description.clause) }
}

/// The state of a client reset as stored in the file (protocol §9.3).
public struct ClientResetRecord: Hashable, Sendable {
  /// The progress of a client reset.
  public enum Stage: Int64, Hashable, Sendable {
    /// The server demands a reset; nothing has been changed yet.
    case demanded = 1
    /// The fresh copy is in place; the server has yet to accept the file.
    case performed = 2
    /// The file must be backed up and deleted before it is opened again.
    case manual = 3
  }

  /// The progress of the reset.
  public var stage: Stage
  /// The kind of reset performed, or the most that the server allows.
  public var kind: ClientResetKind
  /// The code of the server's error.
  public var code: Int64
  /// The server's message; for a manual reset the path of the backup.
  public var text: String
}
