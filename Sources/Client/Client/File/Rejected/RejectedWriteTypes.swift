// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// The error that reports rejected writes to the app.
public struct RejectionError: Hashable, Sendable {
  /// The error code of the sync protocol; 0 if the client itself detected the loss.
  public var code: Int64
  /// The message.
  public var message: String
  /// The address of the server's log; may be empty.
  public var logURL = ""
}

/// A rejection that the server reports (protocol §8.1).
public struct ServerRejection: Hashable, Sendable {
  /// An object whose changes are reverted.
  public struct Object: Hashable, Sendable {
    /// The object.
    public var object: ObjectReference
    /// The server's reason.
    public var reason: String
  }

  /// The error to report to the app.
  public var error: RejectionError
  /// The version of the rejected local transaction.
  public var clientVersion: UInt64
  /// The position in the stream that reverts the changes; 0 if nothing is reverted.
  public var serverVersion: UInt64
  /// The affected objects.
  public var objects: [Object]
}

/// A change of one object that the server did not accept, as kept in the file.
public struct RejectedWrite: Hashable, Sendable {
  /// The state of a rejected write.
  public enum State: Int64, Hashable, Sendable {
    /// Waiting for the app to resubmit or discard it.
    case kept = 0
    /// Resubmitted; the server has not answered yet.
    case resubmitted = 1
  }

  /// The id of the write within its file; never reused.
  public let id: Int64
  /// The object that was changed.
  public let object: ObjectReference
  /// The reason for the rejection, worded by the server or, if the client detected it, by the client.
  public let reason: String
  /// The state of the write.
  public let state: State
  /// The time at which the app last wrote it, in milliseconds since 2015-01-01T00:00:00Z.
  public let writtenAt: UInt64
  /// The time of the rejection, on the clock of the side that reverted the write, in milliseconds since
  /// 2015-01-01T00:00:00Z.
  public let rejectedAt: UInt64
  /// Whether the changes are available: the history may have dropped them before the server rejected them.
  public let hasChanges: Bool
}

/// Rejected writes of one error that have not been reported to the app.
public struct UntoldRejection: Hashable, Sendable {
  /// The error.
  public let error: RejectionError
  /// The position in the stream that reverted the changes.
  public let serverVersion: UInt64
  /// The rejected writes.
  public internal(set) var writes: [RejectedWrite]
}

/// The limits on the rejected writes that a file keeps; the oldest are deleted first.
public struct RejectedWriteLimits: Hashable, Sendable {
  /// The number of writes.
  public var count: Int
  /// The total size of their changesets in bytes.
  public var byteCount: Int

  /// Creates limits.
  public init(count: Int = 1000, byteCount: Int = 64 << 20) {
    self.count = count
    self.byteCount = byteCount
  }
}

/// The reason why a rejected write cannot be resubmitted.
public struct ResubmissionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error that callers distinguish.
  public enum Kind: Hashable, Sendable {
    /// No such write exists, or it was already resubmitted.
    case notKept
    /// Nothing that was written applies any longer.
    case impossible
  }

  /// The kind.
  public let kind: Kind
  /// The problem and what to do about it.
  public let description: String
}

/// The part of a local transaction that concerns one object.
struct ObjectChange {
  let version: UInt64
  let timestamp: UInt64
  let instructions: [Instruction]
}
