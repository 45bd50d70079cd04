// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// The error with which the app learns of rejected writes.
public struct RejectionError: Hashable, Sendable {
  /// The code of the sync protocol, 0 if the client has found out by itself.
  public var code: Int64
  /// What happened.
  public var message: String
  /// Where the server keeps its log, or empty.
  public var logURL: String

  /// Creates an error.
  public init(code: Int64, message: String, logURL: String = "") {
    self.code = code
    self.message = message
    self.logURL = logURL
  }
}

/// What the server says that it takes back (protocol §8.1).
public struct ServerRejection: Hashable, Sendable {
  /// An object whose changes are taken back.
  public struct Object: Hashable, Sendable {
    /// The object.
    public var object: ObjectReference
    /// The server's words.
    public var reason: String

    /// Creates a record.
    public init(_ object: ObjectReference, reason: String) {
      self.object = object
      self.reason = reason
    }
  }

  /// For the app.
  public var error: RejectionError
  /// The local transaction that is rejected.
  public var clientVersion: UInt64
  /// The place in the stream that takes the changes back; 0 if nothing is taken back.
  public var serverVersion: UInt64
  /// The objects that it concerns.
  public var objects: [Object]

  /// Creates a record.
  public init(error: RejectionError, clientVersion: UInt64, serverVersion: UInt64, objects: [Object]) {
    self.error = error
    self.clientVersion = clientVersion
    self.serverVersion = serverVersion
    self.objects = objects
  }
}

/// A change of one object that the server did not take, as the file keeps it.
public struct RejectedWrite: Hashable, Sendable {
  /// What has become of it.
  public enum State: Int64, Hashable, Sendable {
    /// It waits for the app to resubmit or to discard it.
    case kept = 0
    /// It was made again, and the server has not answered yet.
    case resubmitted = 1
  }

  /// Identifies the write in its file; never used twice.
  public let id: Int64
  /// The object that was changed.
  public let object: ObjectReference
  /// Why it was rejected, in the words of the server or, if the client has found out by itself, of the client.
  public let reason: String
  /// What has become of it.
  public let state: State
  /// When the app wrote it last, in milliseconds since 2015-01-01T00:00:00Z.
  public let writtenAt: UInt64
  /// When it was taken back, on the clock of whoever did that, in milliseconds since 2015-01-01T00:00:00Z.
  public let rejectedAt: UInt64
  /// Whether it is known what was written: the history may have forgotten it before the server rejected it.
  public let hasChanges: Bool
}

/// Rejected writes that the app has not been told of, of one error.
public struct UntoldRejection: Hashable, Sendable {
  /// The error.
  public let error: RejectionError
  /// The place in the stream that took the changes back.
  public let serverVersion: UInt64
  /// What was rejected.
  public private(set) var writes: [RejectedWrite]

  init(error: RejectionError, serverVersion: UInt64, writes: [RejectedWrite]) {
    self.error = error
    self.serverVersion = serverVersion
    self.writes = writes
  }

  mutating func add(_ write: RejectedWrite) { writes.append(write) }
}

/// How much a file keeps of rejected writes; the oldest go first.
public struct RejectedWriteLimits: Hashable, Sendable {
  /// The number of writes.
  public var count: Int
  /// The bytes of their changesets, all together.
  public var byteCount: Int

  /// Creates limits.
  public init(count: Int = 1000, byteCount: Int = 64 << 20) {
    self.count = count
    self.byteCount = byteCount
  }
}

/// Why a rejected write cannot be made again.
public struct ResubmissionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds that callers tell apart.
  public enum Kind: Hashable, Sendable {
    /// There is no such write, or it was resubmitted before.
    case notKept
    /// What was written has no place any more.
    case impossible
  }

  /// The kind.
  public let kind: Kind
  /// What is the matter, and what to do.
  public let description: String
}

/// A local transaction, as far as it concerns one object.
struct ObjectChange {
  let version: UInt64
  let timestamp: UInt64
  let instructions: [Instruction]
}
