// SPDX-License-Identifier: Apache-2.0

/// A 12-byte identifier: four bytes of seconds since 1970, five random bytes and a three-byte counter.
///
/// Identifiers are ordered by their bytes, as on the wire and in queries.
public struct ObjectId: Hashable, Comparable, Sendable {
  /// Bytes 0…7, the first byte most significant.
  public let high: UInt64
  /// Bytes 8…11, the first byte most significant.
  public let low: UInt32

  public static let byteCount = 12

  public init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// Creates an identifier from exactly twelve bytes, or nil for any other count.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt32(bigEndianBytes: bytes.dropFirst(8)))
  }

  /// Creates an identifier from 24 hexadecimal digits of either case, or nil for any other text.
  public init?(hex: String) {
    guard let bytes = Hex.decode(hex) else { return nil }
    self.init(bytes: bytes)
  }

  /// The twelve bytes in wire order.
  public var bytes: [UInt8] { [UInt8](bigEndian: high, low) }

  public static func < (left: ObjectId, right: ObjectId) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension ObjectId: CustomStringConvertible {
  /// The identifier as 24 lower-case hexadecimal digits.
  public var description: String { Hex.encode(bytes) }
}
