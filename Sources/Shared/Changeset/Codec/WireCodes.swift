// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The first byte of each instruction (protocol §6.5).
enum InstructionCode: UInt8 {
  case addTable = 0x00
  case eraseTable = 0x01
  case createObject = 0x02
  case eraseObject = 0x03
  case update = 0x04
  case addInteger = 0x05
  case addColumn = 0x06
  case eraseColumn = 0x07
  case arrayInsert = 0x08
  case arrayMove = 0x09
  case arrayErase = 0x0a
  case clear = 0x0b
  case setInsert = 0x0c
  case setErase = 0x0d
  case internString = 0x3f
}

/// The type bytes beyond those of `ValueType`: the negative numbers on the wire (protocol §6.4).
enum MarkerCode {
  static let globalKey: UInt8 = 0x40
  static let object: UInt8 = 0x41
  static let dictionary: UInt8 = 0x42
  static let erased: UInt8 = 0x43
  static let list: UInt8 = 0x44
  static let set: UInt8 = 0x45
}

/// The limits on the contents of a changeset.
enum WireLimits {
  /// The longest string or binary value that the reference parser accepts: 16 bytes less than 16 MiB.
  static let valueByteCount = 0xFF_FFF0
  /// The exponents that the 14 bits of decimal128 can express, including those of not-a-number and infinity.
  static let decimalExponents: ClosedRange<Int64> = -6176...10207
  /// The number of coefficient bits in its upper 64-bit half.
  static let coefficientHighBitCount = 49
}
