// SPDX-License-Identifier: Apache-2.0

/// The few DER elements (X.690) that are needed to pass keys and signatures to OpenSSL.
enum DER {
  static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, elements.flatMap { $0 }) }

  /// Returns a bit string that consists of whole bytes.
  static func bitString(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

  /// Returns a non-negative number given by its bytes, most significant first.
  static func integer(_ magnitude: [UInt8]) -> [UInt8] {
    var bytes = Array(magnitude.drop { $0 == 0 })
    // With its first bit set, the number would be negative.
    if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
    return element(0x02, bytes)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    [tag] + length(content.count) + content
  }

  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(count)] }
    var bytes: [UInt8] = []
    var rest = count
    while rest > 0 {
      bytes.insert(UInt8(rest & 0xff), at: 0)
      rest >>= 8
    }
    return [0x80 | UInt8(bytes.count)] + bytes
  }
}
