// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
  /// Creates the number from its bytes, the first one most significant.
  init(bigEndianBytes bytes: some Collection<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Self($1) } }
}

extension [UInt8] {
  /// Appends the bytes of a number, the first one most significant.
  mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
