// SPDX-License-Identifier: Apache-2.0

// Every key and identifier that is read or written passes here, so callers in other modules get copies for their types.

extension FixedWidthInteger {
  /// Creates the number from its bytes, the first one most significant.
  @inlinable
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    var number: Self = 0
    for byte in bytes { number = number << 8 | Self(truncatingIfNeeded: byte) }
    self = number
  }
}

extension [UInt8] {
  /// Creates the bytes of two numbers, the first one of each most significant.
  init(bigEndian first: UInt64, _ second: some FixedWidthInteger) {
    let byteCount = 8 + MemoryLayout.size(ofValue: second)
    self.init(unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      memory.storeBytes(of: first.bigEndian, as: UInt64.self)
      memory.storeBytes(of: second.bigEndian, toByteOffset: 8, as: type(of: second.bigEndian))
      initializedCount = byteCount
    }
  }
}
