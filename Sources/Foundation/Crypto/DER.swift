// SPDX-License-Identifier: Apache-2.0

/// The few forms of DER (X.690) in which OpenSSL takes keys and signatures.
enum DER {
  static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, elements.flatMap { $0 }) }

  /// A bit string of whole bytes.
  static func bitString(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

  /// A number that is not negative, given by its bytes, the most significant one first.
  static func integer(_ magnitude: [UInt8]) -> [UInt8] {
    var bytes = Array(magnitude.drop { $0 == 0 })
    // A set first bit would mean a negative number.
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
