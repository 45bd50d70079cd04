// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@Suite struct IdentifierTests {
  @Test func objectIdRoundTripsThroughHexAndBytes() throws {
    let text = "65a0000000000000000000ff"
    let identifier = try #require(ObjectId(hex: text))
    #expect(identifier.description == text)
    #expect(ObjectId(bytes: identifier.bytes) == identifier)
    #expect(ObjectId(hex: text.uppercased()) == identifier)
  }

  @Test(arguments: ["", "65a0", "65a0000000000000000000zz", "65a0000000000000000000ff00"])
  func objectIdRefusesAnythingButTwentyFourDigits(text: String) {
    #expect(ObjectId(hex: text) == nil)
  }

  @Test func uuidRoundTripsAndRefusesOtherForms() throws {
    let text = "00112233-4455-6677-8899-aabbccddeeff"
    let identifier = try #require(UUIDValue(text))
    #expect(identifier.description == text)
    #expect(UUIDValue(bytes: identifier.bytes) == identifier)
    #expect(UUIDValue("00112233445566778899aabbccddeeff") == nil)
  }

  @Test func identifiersOrderByTheirBytes() throws {
    #expect(
      try #require(ObjectId(hex: "000000000000000000000002")) > #require(
        ObjectId(hex: "000000000000000000000001")
      )
    )
    #expect(
      try #require(ObjectId(hex: "010000000000000000000000")) > #require(
        ObjectId(hex: "00ffffffffffffffffffffff")
      )
    )
  }

  @Test func timestampsKeepBothPartsOfOneSign() {
    #expect(Timestamp(seconds: 1, nanoseconds: -1) == nil)
    #expect(Timestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
    #expect(Timestamp(milliseconds: -1500) == Timestamp(seconds: -1, nanoseconds: -500_000_000))
    #expect(Timestamp(milliseconds: -1) < Timestamp.epoch)
  }
}
