// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore
@testable import FlexSyncWire

/// Arbitrary peers and arbitrary hosts: no trap, and never an illegal message of ours.
@Suite("Arbitrary messages")
struct RandomTests {
  @Test("the server's machine says nothing illegal, whatever client and host do", arguments: 0..<150)
  func serverStaysLegal(seed: UInt64) {
    var chaos = ServerChaos(seed: seed)
    for _ in 0..<150 { chaos.step() }
    #expect(chaos.complaints == [], "seed \(seed)")
  }

  @Test("the client's machine says nothing illegal, whatever the server does", arguments: 0..<150)
  func clientStaysLegal(seed: UInt64) {
    var chaos = ClientChaos(seed: seed)
    for _ in 0..<200 { chaos.step() }
    #expect(chaos.complaints == [], "seed \(seed)")
  }

  @Test("mutated bytes are refused or read, never more", arguments: Recording.names)
  func mutatedBytes(name: String) throws {
    var random = RandomSource(seed: 7)
    for (_, line) in try Recording(name).lines {
      for _ in 0..<40 {
        switch line {
        case .client(let message):
          let bytes = message.encode().mutated(&random)
          if let read = try? ClientMessage.decode(bytes) {
            #expect(try ClientMessage.decode(read.encode()) == read)
          }
        case .server(let message):
          let bytes = message.encode().mutated(&random)
          if let read = try? ServerMessage.decode(bytes) {
            #expect(try ServerMessage.decode(read.encode()) == read)
          }
        }
      }
    }
  }
}

extension [UInt8] {
  fileprivate func mutated(_ random: inout RandomSource) -> [UInt8] {
    var bytes = self
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(UInt8.random(in: 0x20...0x3a, using: &random), at: index)
      default: bytes.removeLast(bytes.count - index)
      }
    }
    return bytes
  }
}
