// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire
import Testing

@Suite("Negotiation of the sub-protocol")
struct NegotiationTests {
  private static let prefix = SubprotocolNegotiation.prefix

  @Test("the highest offered version is chosen, in the spelling of the offer")
  func highestVersionIsChosen() throws {
    let offer = (2...14).reversed().map { "\(Self.prefix)#\($0)" }.joined(separator: ", ")
    #expect(try SubprotocolNegotiation.select(offer: offer).name == "\(Self.prefix)#14")
    let old = (2...7).map { "\(Self.prefix)/\($0)" }.joined(separator: ",")
    let negotiated = try SubprotocolNegotiation.select(offer: old)
    #expect(negotiated.name == "\(Self.prefix)/7")
    #expect(negotiated.version.rawValue == 7)
  }

  @Test("versions that we do not know are passed over")
  func unknownVersionsArePassedOver() throws {
    let offer = "\(Self.prefix)#99, chat, \(Self.prefix)#x, \(Self.prefix)#13, \(Self.prefix)14"
    // A client that offers 99 alone expects its own syntax; one that also offers 13 speaks that.
    #expect(try SubprotocolNegotiation.select(offer: offer).version.rawValue == 13)
  }

  @Test("a range offers all its versions")
  func rangesAreUnderstood() throws {
    #expect(try SubprotocolNegotiation.select(offer: "\(Self.prefix)#2-14").version == .newest)
    #expect(try SubprotocolNegotiation.select(offer: "\(Self.prefix)#2-20").version == .newest)
    #expect(try SubprotocolNegotiation.select(offer: "\(Self.prefix)#3-5").version.rawValue == 5)
  }

  // Feature 7
  @Test("a client of partition-based sync is told so")
  func partitionBasedClientsAreRefused() {
    #expect(throws: NegotiationError.partitionBasedOnly) {
      try SubprotocolNegotiation.select(offer: "com.mongodb.realm-sync#14, com.mongodb.realm-sync#13")
    }
  }

  @Test(
    "without a common version there is no answer",
    arguments: ["", "chat", "com.mongodb.realm-query-sync#1", ",,"]
  )
  func noCommonVersion(offer: String) {
    #expect(throws: NegotiationError.noCommonVersion(offer: offer)) {
      try SubprotocolNegotiation.select(offer: offer)
    }
  }

  @Test("a client accepts exactly what it offered")
  func answersAreChecked() throws {
    #expect(try SubprotocolNegotiation.check(answer: "\(Self.prefix)#14") == .newest)
    for answer in [nil, "\(Self.prefix)/14", "\(Self.prefix)#1", "\(Self.prefix)#13"] as [String?] {
      #expect(throws: NegotiationError.badAnswer(answer)) { try SubprotocolNegotiation.check(answer: answer) }
    }
  }
}
