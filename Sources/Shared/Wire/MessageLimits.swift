// SPDX-License-Identifier: Apache-2.0

/// How large messages may be (protocol §2.1, §11).
public struct MessageLimits: Hashable, Sendable {
  /// Bytes before the line feed. A DOWNLOAD with numbers of full length needs 280.
  public static let headByteCount = 512

  /// Largest count of bytes of a body, after it is inflated. A peer that announces more is refused before any memory
  /// is taken.
  public var bodyByteCount: Int

  public init(bodyByteCount: Int) { self.bodyByteCount = bodyByteCount }

  /// 32 MiB: the 16 MiB of changesets that clients and servers send at most, and slack.
  public static let standard = MessageLimits(bodyByteCount: 32 << 20)

  /// Bodies above this are compressed if that makes them smaller (protocol §2.2).
  static let compressionThreshold = 1024
}
