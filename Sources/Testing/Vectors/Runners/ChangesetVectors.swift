// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

/// Checks of `changesets.jsonl`, `bad_changesets.jsonl` and `odd_changesets.jsonl`.
enum ChangesetVectors {
  /// Groups whose bytes were written by a client that orders strings differently; they are only decoded.
  private static let groupsOfClients: Set<String> = ["observed", "client-transaction"]

  static func check(_ row: JSON, report: inout VectorReport) throws -> String? {
    let instructions = try Instruction.list(vector: row.field("instructions"))
    let strings = try row.elements("interns").map { try $0.asText() }
    for name in ["hex", "hexPacked"] {
      let decoded = try ChangesetCodec.decode(row.bytes(name))
      if let difference = difference(decoded.instructions, instructions) {
        return "\(name) decoded: \(difference)"
      }
      if name == "hexPacked" && !areSame(decoded.internedStrings, strings) {
        return "other strings in \(name)"
      }
    }
    let packed = ChangesetCodec.encode(instructions, internedStrings: strings)
    if packed != (try row.bytes("hexPacked")) {
      return "encoded with all strings first: \(Hex.encode(packed))"
    }
    if groupsOfClients.contains(try row.text("group")) { return nil }
    let lazy = ChangesetCodec.encode(instructions)
    return lazy == (try row.bytes("hex")) ? nil : "encoded: \(Hex.encode(lazy))"
  }

  static func checkBad(_ row: JSON, report: inout VectorReport) throws -> String? {
    let bytes = try row.bytes("hex")
    let why = try row.text("why")
    do throws(ChangesetError) {
      _ = try ChangesetCodec.decode(bytes)
      return "accepted: \(why)"
    } catch {
      return (0...bytes.count).contains(error.position)
        ? nil : "position \(error.position) of \(bytes.count) bytes"
    }
  }

  /// Checks an odd changeset. Refusing it is as good as reading what the reference reads.
  static func checkOdd(_ row: JSON, report: inout VectorReport) throws -> String? {
    let bytes = try row.bytes("hex")
    let decoded: DecodedChangeset
    do throws(ChangesetError) {
      decoded = try ChangesetCodec.decode(bytes)
    } catch {
      report.note("odd bytes refused")
      return nil
    }
    report.note("odd bytes read like the reference")
    let instructions = try Instruction.list(vector: row.field("instructions"))
    if let difference = difference(decoded.instructions, instructions) { return difference }
    let packed = ChangesetCodec.encode(decoded.instructions, internedStrings: decoded.internedStrings)
    let expected = try row.bytes("hexPacked")
    // The reference writes no strings if there are no instructions.
    if instructions.isEmpty || packed == expected { return nil }
    return "encoded: \(Hex.encode(packed))"
  }

  /// Describes the first instruction that is not the expected one.
  static func difference(_ found: [Instruction], _ expected: [Instruction]) -> String? {
    for (offset, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 {
      return "instruction \(offset) is \(pair.0), expected \(pair.1)"
    }
    return found.count == expected.count
      ? nil : "\(found.count) instructions, expected \(expected.count): found \(found), expected \(expected)"
  }

  private static func areSame(_ left: [String], _ right: [String]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { UTF8Order.areEqual($0, $1) }
  }
}
