// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCrypto

private func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

@Suite("Digests and message authentication")
struct DigestTests {
  @Test("SHA-1 and SHA-256 give the values of FIPS 180-4")
  func publishedDigests() {
    let message = Array("abc".utf8)
    #expect(hex(Digest.sha1(message)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(
      hex(Digest.sha256(message)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    #expect(hex(Digest.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("SHA-256 in pieces is SHA-256 of the whole")
  func pieces() {
    let message = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    let digest = RunningSHA256()
    for start in stride(from: 0, to: message.count, by: 70) { digest.append(message[start...].prefix(70)) }
    #expect(digest.finish() == Digest.sha256(message))
    #expect(RunningSHA256().finish() == Digest.sha256([]))
  }

  @Test("HMAC-SHA256 gives the values of RFC 4231 and accepts an empty key")
  func publishedAuthenticationCodes() {
    #expect(
      hex(
        MessageAuthentication.hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
      )
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    #expect(
      hex(MessageAuthentication.hmacSHA256([], key: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    )
  }

  @Test("Constant-time comparison is equality")
  func comparison() {
    #expect(ConstantTime.equal([], []))
    #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
  }

  @Test("Random bytes have the asked length and differ")
  func randomBytes() {
    #expect(RandomBytes.generate(count: 0).isEmpty)
    let first = RandomBytes.generate(count: 32)
    #expect(first.count == 32)
    #expect(first != RandomBytes.generate(count: 32))
  }
}

@Suite("Base64")
struct Base64Tests {
  @Test(
    "The examples of RFC 4648 hold in both directions",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ]
  )
  func publishedExamples(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
    let unpadded = encoded.filter { $0 != "=" }
    #expect(Base64URL.encode(Array(plain.utf8)) == unpadded)
    #expect(Base64URL.decode(unpadded) == Array(plain.utf8))
  }

  @Test("Every length up to 70 bytes survives a round trip")
  func roundTrips() {
    for count in 0...70 {
      let bytes = RandomBytes.generate(count: count)
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }

  @Test(
    "Anything but the canonical text is refused",
    arguments: [
      "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "====", "=", "Z", "Zg== ", "Zm 8", "Zm8\n", "Zm8-", "ZÖ==",
    ]
  )
  func strictness(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("The URL alphabet refuses padding and the standard alphabet")
  func alphabets() {
    #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    #expect(Base64URL.decode("-_8") == [0xfb, 0xff])
    #expect(Base64.decode("+/8=") == [0xfb, 0xff])
    #expect(Base64URL.decode("-_8=") == nil)
    #expect(Base64URL.decode("+/8") == nil)
    #expect(Base64.decode("-_8=") == nil)
  }
}

@Suite("Password hashes")
struct PasswordHashTests {
  @Test("A password verifies against its own hash and no other does")
  func verification() throws {
    let hash = try PasswordHash.hash(password: "correct horse")
    #expect(hash.hasPrefix("$scrypt$ln=15,r=8,p=1$"))
    #expect(try PasswordHash.verify(password: "correct horse", hash: hash))
    #expect(try !PasswordHash.verify(password: "correct horsf", hash: hash))
    #expect(try !PasswordHash.verify(password: "", hash: hash))
  }

  @Test("The derivation is the one of RFC 7914")
  func publishedVector() throws {
    let parameters = ScryptParameters(logarithmicCost: 10, blockSize: 8, parallelism: 1)
    let line = try PasswordHash.hash(
      password: "pleaseletmein",
      parameters: parameters,
      salt: Array("SodiumChloride".utf8)
    )
    let stored = try StoredPasswordHash(parsing: line)
    // Python: hashlib.scrypt(b"pleaseletmein", salt=b"SodiumChloride", n=1024, r=8, p=1, dklen=32).hex()
    #expect(hex(stored.hash) == "54173687d265e43226bd914b015267e2fdd4108aa05937fb549eceb0c276a285")
    #expect(stored.parameters == parameters)
  }

  @Test("An empty password is a password")
  func emptyPassword() throws {
    let parameters = ScryptParameters(logarithmicCost: 4, blockSize: 1, parallelism: 1)
    let hash = try PasswordHash.hash(password: "", parameters: parameters, salt: Array("saltsalt".utf8))
    #expect(try PasswordHash.verify(password: "", hash: hash))
    #expect(try !PasswordHash.verify(password: " ", hash: hash))
  }

  @Test(
    "A malformed or excessive hash is an error, not a mismatch",
    arguments: [
      "", "secret", "$scrypt$", "$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA",
      "$scrypt$ln=15,r=8$c2FsdHNhbHQ$MDEyMzQ1Njc4OTAxMjM0NQ",
      "$scrypt$ln=15,r=8,p=1,x=1$c2FsdHNhbHQ$MDEyMzQ1Njc4OTAxMjM0NQ",
      "$scrypt$ln=40,r=8,p=1$c2FsdHNhbHQ$MDEyMzQ1Njc4OTAxMjM0NQ",
      "$scrypt$ln=-1,r=8,p=1$c2FsdHNhbHQ$MDEyMzQ1Njc4OTAxMjM0NQ",
      "$scrypt$ln=15,r=8,p=1$c2FsdHNhbHQ$short", "$scrypt$ln=15,r=8,p=1$?$MDEyMzQ1Njc4OTAxMjM0NQ",
    ]
  )
  func malformedHashes(hash: String) {
    #expect(throws: PasswordHashError.self) { try PasswordHash.verify(password: "x", hash: hash) }
  }
}
