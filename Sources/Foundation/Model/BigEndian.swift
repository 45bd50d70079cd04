// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
  /// Creates the number from its bytes, the first one most significant.
  init(bigEndianBytes bytes: some Collection<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Self($1) } }
}

extension [UInt8] {
  /// Creates the bytes of two numbers, the first one of each most significant.
  init(bigEndian first: UInt64, _ second: some FixedWidthInteger) {
    self = Swift.withUnsafeBytes(of: first.bigEndian) { Array($0) }
    Swift.withUnsafeBytes(of: second.bigEndian) { append(contentsOf: $0) }
  }
}
