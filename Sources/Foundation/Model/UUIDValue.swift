// SPDX-License-Identifier: Apache-2.0

/// A 16-byte universally unique identifier, ordered by its bytes.
///
/// It is not named `UUID`, so that modules that also import Foundation need not qualify either name.
public struct UUIDValue: Hashable, Comparable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public static let byteCount = 16

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an identifier from exactly sixteen bytes, or nil for any other count.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.dropFirst(8)))
  }

  /// Creates an identifier from hexadecimal text of either case in the form 8-4-4-4-12, or returns nil for any other
  /// text.
  public init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = Hex.decode(groups.joined()) else {
      return nil
    }
    self.init(bytes: bytes)
  }

  /// Creates a random identifier: version 4 of RFC 9562, section 5.4.
  public static func random() -> UUIDValue {
    let version: UInt64 = 4 << 12
    let variant: UInt64 = 0b10 << 62
    return UUIDValue(
      high: .random(in: .min ... .max) & ~0xf000 | version,
      low: .random(in: .min ... .max) & ~(0b11 << 62) | variant
    )
  }

  /// The sixteen bytes in wire order.
  public var bytes: [UInt8] { [UInt8](bigEndian: high, low) }

  public static func < (left: UUIDValue, right: UUIDValue) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension UUIDValue: CustomStringConvertible {
  /// The identifier in the form 8-4-4-4-12, in lower case.
  public var description: String {
    let digits = Array(Hex.encode(bytes).utf8)
    let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    return groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }
}
