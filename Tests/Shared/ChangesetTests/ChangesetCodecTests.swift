// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncChangeset

@Suite("Changeset codec")
struct ChangesetCodecTests {
  @Test("decoding gives the instructions that were encoded", arguments: 0..<200 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = RandomInstructions(seed: seed)
    let instructions = random.list(maximumCount: 20)
    let decoded = try ChangesetCodec.decode(ChangesetCodec.encode(instructions))
    #expect(decoded.instructions == instructions)
    let packed = ChangesetCodec.encode(instructions, internedStrings: decoded.internedStrings)
    #expect(try ChangesetCodec.decode(packed) == decoded)
  }

  @Test("damaged bytes are refused or read, but never trap", arguments: 0..<200 as Range<UInt64>)
  func damage(seed: UInt64) {
    var random = RandomInstructions(seed: seed)
    var generator = SeededGenerator(seed: seed)
    let bytes = ChangesetCodec.encode(random.list(maximumCount: 5))
    for _ in 0..<50 where !bytes.isEmpty {
      var damaged = bytes
      damaged[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
        in: 0...255,
        using: &generator
      )
      if Bool.random(using: &generator) {
        damaged.removeLast(Int.random(in: 0...bytes.count, using: &generator))
      }
      expectReadOrRefused(damaged)
    }
  }

  @Test("strings that look alike but have other bytes are interned apart")
  func canonicalEquivalents() throws {
    let instructions = ["caf\u{e9}", "cafe\u{301}"].map {
      Instruction.createObject(ObjectReference(table: "Task", key: .string($0)))
    }
    let decoded = try ChangesetCodec.decode(ChangesetCodec.encode(instructions))
    #expect(decoded.internedStrings.count == 3)
    #expect(decoded.instructions == instructions)
    #expect(instructions[0] != instructions[1])
  }

  @Test("an error names the byte")
  func errorPosition() {
    let bytes: [UInt8] = [0x3f, 0x00, 0x01, 0x61, 0x01, 0x05]
    #expect(throws: ChangesetError(message: "string 5 is not defined", position: 5)) {
      try ChangesetCodec.decode(bytes)
    }
  }

  private func expectReadOrRefused(_ bytes: [UInt8]) {
    do throws(ChangesetError) {
      _ = try ChangesetCodec.decode(bytes)
    } catch {
      #expect((0...bytes.count).contains(error.position))
    }
  }
}
