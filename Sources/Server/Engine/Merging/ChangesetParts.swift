// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

extension ChangesetCodec {
  /// Well below the 16 MiB that clients accept as one changeset (protocol §4.3, §11).
  static let longestPart = 4 << 20

  /// Encodes instructions as one changeset, or as several consecutive ones where one would be too long. A single
  /// instruction cannot be split.
  static func encodeInParts(_ instructions: [Instruction], notLongerThan limit: Int = longestPart)
    -> [[UInt8]]
  {
    let writer = ChangesetWriter()
    var parts: [[UInt8]] = []
    /// Where the part may end: it is a changeset up to the end of each instruction.
    var end = 0
    for instruction in instructions {
      writer.append(instruction)
      if writer.bytes.count > limit, end > 0 {
        parts.append([UInt8](writer.bytes[..<end]))
        writer.removeAll()
        writer.append(instruction)
      }
      end = writer.bytes.count
    }
    return parts + [[UInt8](writer.bytes)]
  }

  /// Divides a changeset of several instructions that would be too long.
  static func parts(of changeset: [UInt8], notLongerThan limit: Int = longestPart) throws -> [[UInt8]] {
    guard changeset.count > limit else { return [changeset] }
    return encodeInParts(try decode(changeset).instructions, notLongerThan: limit)
  }
}
