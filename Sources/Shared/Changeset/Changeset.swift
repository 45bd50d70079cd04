// SPDX-License-Identifier: Apache-2.0

/// A list of instructions with the stamp of its author, as it takes part in a merge.
public struct Changeset: Hashable, Sendable {
  /// The longest changeset in bytes; the protocol cannot carry longer ones (protocol §6.4).
  public static let longestByteCount = 0xFFFFF8

  public var stamp: OriginStamp
  public var instructions: [Instruction]

  public init(stamp: OriginStamp, instructions: [Instruction]) {
    self.stamp = stamp
    self.instructions = instructions
  }
}

/// Who made a change and when, which decides between concurrent changes: the greater stamp wins (protocol §7.1).
public struct OriginStamp: Hashable, Sendable, Comparable {
  /// Milliseconds since 2015-01-01T00:00:00Z, as given by the author's clock.
  public var timestamp: UInt64
  /// The client file ident of the author. In a client's own changesets it must be replaced by the client's ident
  /// before a merge; on the wire it is 0 there.
  public var fileIdent: UInt64

  public init(timestamp: UInt64, fileIdent: UInt64) {
    self.timestamp = timestamp
    self.fileIdent = fileIdent
  }

  /// Milliseconds between 1970 and 2015, the origin of timestamps on the wire.
  public static let epochOffsetMilliseconds: UInt64 = 1_420_070_400_000

  public static func < (left: OriginStamp, right: OriginStamp) -> Bool {
    left.timestamp != right.timestamp ? left.timestamp < right.timestamp : left.fileIdent < right.fileIdent
  }
}
