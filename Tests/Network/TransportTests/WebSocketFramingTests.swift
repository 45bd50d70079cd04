// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncTransport

@Suite("WebSocket framing")
struct WebSocketFramingTests {
  /// Feeds `bytes` in pieces of random length and returns the messages that came out.
  private func messages(
    _ bytes: [UInt8],
    to framing: WebSocketFraming,
    random: inout SeededGenerator
  ) -> (messages: [[UInt8]], failure: WebSocketFraming.Failure?) {
    var messages: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty, !framing.hasStoppedReading {
      let piece = Array(rest.prefix(Int.random(in: 1...50, using: &random)))
      rest = rest.dropFirst(piece.count)
      let failure = piece.withUnsafeBytes { piece in
        framing.receive(piece) { if case .message(let bytes) = $0 { messages.append(Array(bytes)) } }
      }
      if let failure { return (messages, failure) }
    }
    return (messages, nil)
  }

  @Test("What one end sends, the other receives, however it is cut")
  func roundTrips() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for (sender, receiver) in [
      (WebSocketFraming.Role.client, WebSocketFraming.Role.server), (.server, .client),
    ] {
      for _ in 0..<50 {
        let sent = (0..<Int.random(in: 1...10, using: &random)).map { _ in
          (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        let source = WebSocketFraming(sender, maximumMessageBytes: 1_000)
        for message in sent { message.withUnsafeBytes { source.send($0) } }
        var wire: [UInt8] = []
        source.takeOutput { wire += $0 }
        let target = WebSocketFraming(receiver, maximumMessageBytes: 1_000)
        let received = messages(wire, to: target, random: &random)
        #expect(received.messages == sent, "seed \(seed)")
        #expect(received.failure == nil)
      }
    }
  }

  @Test("Damaged frames never do more than fail")
  func damage() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let valid =
      Frame.binary("hello") + Frame.client(opcode: 2, [1, 2], isFinal: false) + Frame.client(opcode: 9, [3])
      + Frame.client(opcode: 0, [4]) + Frame.client(opcode: 1, Array("text".utf8))
      + Frame.client(opcode: 2, [UInt8](repeating: 7, count: 400)) + Frame.client(opcode: 8, [3, 232])
    for _ in 0..<3_000 {
      var bytes = valid
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let framing = WebSocketFraming(.server, maximumMessageBytes: 1_000)
      let received = messages(bytes, to: framing, random: &random)
      #expect(received.messages.allSatisfy { $0.count <= 1_000 }, "seed \(seed)")
      framing.takeOutput { _ in }
    }
  }

  @Test(
    "A message of too many fragments is refused before it is complete, other messages are not counted with it"
  )
  func fragments() {
    func outcome(_ wire: [UInt8]) -> (count: Int, failure: WebSocketFraming.Failure?) {
      let framing = WebSocketFraming(.server, maximumMessageBytes: 1_000, maximumFragments: 3)
      var count = 0
      let failure = wire.withUnsafeBytes { framing.receive($0) { if case .message = $0 { count += 1 } } }
      return (count, failure)
    }
    let first = Frame.client(opcode: 2, [1], isFinal: false)
    let next = Frame.client(opcode: 0, [], isFinal: false)
    let last = Frame.client(opcode: 0, [2])
    let ping = Frame.client(opcode: 9, [])
    let allowed = first + ping + next + ping + ping + last
    #expect(outcome(allowed + allowed).count == 2 && outcome(allowed + allowed).failure == nil)
    let refused = outcome(allowed + first + next + next + next + last)
    #expect(refused.count == 1 && refused.failure == .violation(code: 1008))
  }
}
