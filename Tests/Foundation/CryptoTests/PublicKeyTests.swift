// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCrypto

@Suite("Public keys")
struct PublicKeyTests {
  // RFC 7515, appendix A.3: a signature with ES256.
  private let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
  private let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
  private let message = Array(
    """
    eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0\
    cnVlfQ
    """.utf8
  )
  private let signature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  @Test("The published example of ES256 is verified, and nothing else")
  func es256() throws {
    let key = try PublicKey(p256X: try bytes(x), y: try bytes(y))
    let signature = try bytes(signature)
    #expect(key.verifies(signature, of: message))
    #expect(!key.verifies(signature, of: message + [0]))
    for index in [0, 31, 32, 63] {
      var other = signature
      other[index] ^= 1
      #expect(!key.verifies(other, of: message))
    }
    for count in [0, 1, 63, 65] {
      #expect(!key.verifies(Array((signature + [0]).prefix(count)), of: message))
    }
    // Zero is no half of a signature.
    #expect(!key.verifies([UInt8](repeating: 0, count: 64), of: message))
  }

  @Test("Points that are not on the curve and numbers that are no key are refused")
  func badKeys() throws {
    let (x, y) = (try bytes(x), try bytes(y))
    #expect(throws: PublicKeyError.self) { try PublicKey(p256X: y, y: x) }
    #expect(throws: PublicKeyError.self) { try PublicKey(p256X: Array(x.dropLast()), y: y) }
    #expect(throws: PublicKeyError.self) { try PublicKey(rsaModulus: [], exponent: [1, 0, 1]) }
    #expect(throws: PublicKeyError.self) {
      try PublicKey(rsaModulus: [UInt8](repeating: 0xff, count: 128), exponent: [3])
    }
    #expect(throws: PublicKeyError.self) { try PublicKey(pem: "", for: .rs256) }
    #expect(throws: PublicKeyError.self) { try PublicKey(pem: "-----BEGIN PUBLIC KEY-----\n", for: .es256) }
  }

  @Test("Numbers are written with the fewest bytes and a sign")
  func derIntegers() {
    #expect(DER.integer([]) == [2, 1, 0])
    #expect(DER.integer([0, 0, 5]) == [2, 1, 5])
    #expect(DER.integer([0x80]) == [2, 2, 0, 0x80])
    #expect(DER.integer([UInt8](repeating: 1, count: 200)).prefix(3) == [2, 0x81, 200])
    #expect(DER.bitString([UInt8](repeating: 1, count: 300)).prefix(5) == [3, 0x82, 1, 45, 0])
  }
}
