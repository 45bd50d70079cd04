// SPDX-License-Identifier: Apache-2.0

/// What a client reset does with changes that the server has not acknowledged (protocol §9.2).
public enum ClientResetKind: Int64, Hashable, Sendable {
  /// They are gone, and so are subscription sets that the server has not answered.
  case discard = 1
  /// They are applied to the fresh copy.
  case recover = 2
}

/// Why a fresh copy could not take the place of a file, in words that go on from "The client reset failed: ".
public struct ClientResetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}

/// What a file remembers of a client reset (protocol §9.3).
public struct ClientResetRecord: Hashable, Sendable {
  /// How far a reset is.
  public enum Stage: Int64, Hashable, Sendable {
    /// The server demands it; nothing has been changed yet.
    case demanded = 1
    /// The fresh copy is in place; whether the server accepts the file now is not known yet.
    case performed = 2
    /// The file is to be backed up and deleted before it is opened again.
    case manual = 3
  }

  /// How far it is.
  public var stage: Stage
  /// What the reset did, or what the server allows it to do at most.
  public var kind: ClientResetKind
  /// The code of the server's error.
  public var code: Int64
  /// The server's words; for a manual reset the path of the backup.
  public var text: String

  /// Creates a record.
  public init(stage: Stage, kind: ClientResetKind, code: Int64, text: String) {
    self.stage = stage
    self.kind = kind
    self.code = code
    self.text = text
  }
}
