// SPDX-License-Identifier: Apache-2.0

/// The size limits of messages (protocol §2.1, §11).
public struct MessageLimits: Hashable, Sendable {
  /// The maximum number of bytes before the line feed. A DOWNLOAD with numbers of maximum length needs 280.
  public static let headByteCount = 512

  /// The maximum size of an inflated body in bytes. A message that announces more is rejected before any memory is
  /// allocated.
  public var bodyByteCount: Int

  /// The maximum size of the body of a QUERY, and of that in an IDENT. A server refuses longer ones before it reads
  /// them.
  public var queryByteCount: Int

  /// The maximum number of sessions that are bound at the same time over one connection.
  public var sessionCount: Int

  public init(bodyByteCount: Int, queryByteCount: Int = 2 << 20, sessionCount: Int = 2_000) {
    self.bodyByteCount = bodyByteCount
    self.queryByteCount = queryByteCount
    self.sessionCount = sessionCount
  }

  /// The maximum size of the parameters and the token of a BIND, and of a client's error that is read. Clients need
  /// much less.
  static let textByteCount = 64 << 10

  /// 32 MiB: the 16 MiB of changesets that clients and servers send at most, plus a margin.
  public static let standard = MessageLimits(bodyByteCount: 32 << 20)

  /// Larger bodies are compressed if that makes them smaller (protocol §2.2).
  static let compressionThreshold = 1024
}
