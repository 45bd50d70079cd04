// SPDX-License-Identifier: Apache-2.0

/// A list of instructions and the stamp of its author: the unit that a merge works on.
public struct Changeset: Hashable, Sendable {
  /// The size limit of a changeset in bytes. The protocol cannot carry a longer one (protocol §6.4).
  public static let longestByteCount = 0xFFFFF8

  public var stamp: OriginStamp
  public var instructions: [Instruction]

  public init(stamp: OriginStamp, instructions: [Instruction]) {
    self.stamp = stamp
    self.instructions = instructions
  }
}

/// The author and time of a change. Of two concurrent changes the one with the greater stamp wins (protocol §7.1).
public struct OriginStamp: Hashable, Sendable, Comparable {
  /// Milliseconds since 2015-01-01T00:00:00Z, according to the author's clock.
  public var timestamp: UInt64
  /// The client file ident of the author. A client's own changesets carry 0 on the wire; replace it with the client's
  /// ident before a merge.
  public var fileIdent: UInt64

  public init(timestamp: UInt64, fileIdent: UInt64) {
    self.timestamp = timestamp
    self.fileIdent = fileIdent
  }

  /// The milliseconds between 1970 and 2015, where timestamps on the wire start.
  public static let epochOffsetMilliseconds: UInt64 = 1_420_070_400_000

  public static func < (left: OriginStamp, right: OriginStamp) -> Bool {
    left.timestamp != right.timestamp ? left.timestamp < right.timestamp : left.fileIdent < right.fileIdent
  }
}
