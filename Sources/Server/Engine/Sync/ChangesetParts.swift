// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

extension ChangesetCodec {
  /// Far from the 16 MiB that clients take as one changeset (protocol §4.3, §11).
  static let longestPart = 4 << 20

  /// Encodes instructions as one changeset, or as several, one after the other, where one would be long. A single
  /// instruction cannot be parted.
  static func encodeInParts(_ instructions: [Instruction], notLongerThan limit: Int = longestPart)
    -> [[UInt8]]
  {
    let whole = encode(instructions)
    guard whole.count > limit, instructions.count > 1 else { return [whole] }
    let middle = instructions.count / 2
    return encodeInParts(Array(instructions[..<middle]), notLongerThan: limit)
      + encodeInParts(Array(instructions[middle...]), notLongerThan: limit)
  }
}
