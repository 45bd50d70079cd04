// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncWire

/// Checks of `messages.jsonl` and `bad_messages.jsonl`.
public enum MessageVectors {
  /// Decodes the message, compares its fields, and encodes it again.
  public static func check(_ row: JSON, report: inout VectorReport) throws -> String? {
    let bytes = try row.bytes("hex")
    let fields = try row.members("fields")
    let message: AnyMessage
    do throws(ProtocolError) {
      message = try AnyMessage(bytes, isFromClient: try isFromClient(row))
    } catch {
      guard isPartitionBased(row) else { return "refused: \(error)" }
      report.note("a message of partition-based sync, refused")
      return nil
    }
    if isPartitionBased(row) { return "accepted although it is a message of partition-based sync" }
    let found = message.fields
    // A json_error row repeats, under "json", the body that was sent.
    for field in fields where !(field.name == "json" && found[field.name] == nil) {
      guard let value = found[field.name] else { return "no field \(field.name) after decoding" }
      if !areSame(value, field.value) {
        return "\(field.name) is \(value.serialized), expected \(field.value.serialized)"
      }
    }
    return encodingDifference(message, bytes, report: &report)
  }

  /// Checks that a bad message is refused with an error that a server may send.
  public static func checkBad(_ row: JSON, report: inout VectorReport) throws -> String? {
    let bytes = try row.bytes("hex")
    let why = try row.text("why")
    do throws(ProtocolError) {
      _ = try AnyMessage(bytes, isFromClient: try isFromClient(row))
      return "accepted: \(why)"
    } catch {
      return error.code.mayBeSentToClients ? nil : "refused with error \(error.code), which aborts clients"
    }
  }

  private static func isFromClient(_ row: JSON) throws(ProtocolError) -> Bool {
    row["direction"]?.stringValue == "client-to-server"
  }

  /// Returns whether the message has a head that exists only in partition-based sync.
  private static func isPartitionBased(_ row: JSON) -> Bool {
    guard let fields = row["fields"] else { return false }
    if fields["partition_based"]?.boolValue == true { return true }
    return row["type"]?.stringValue == "ident" && fields["latest_server_version"] != nil
      && fields["query"] == nil
  }

  private static func encodingDifference(
    _ message: AnyMessage,
    _ bytes: [UInt8],
    report: inout VectorReport
  ) -> String? {
    let encoded = message.encode(isCompressionAllowed: false)
    if encoded == bytes { return nil }
    let compressed = message.encode(isCompressionAllowed: true)
    for form in [encoded, compressed] {
      guard let again = try? AnyMessage(form, isFromClient: message.isFromClient), again == message else {
        return "encoded: \(Hex.encode(form))"
      }
    }
    if message.isCompressed(bytes) {
      report.note("compressed body, compared after inflation")
      return nil
    }
    if message.isFromClient { return "encoded: \(Hex.encode(encoded))" }
    report.note(
      "a spelling of the server's that is not ours (numbers, unknown members), compared after decoding"
    )
    return nil
  }

  /// Returns whether two fields are equal. Numbers may be written as strings; fractions have four digits.
  private static func areSame(_ found: JSON, _ expected: JSON) -> Bool {
    switch (found, expected) {
    case (.double(let left), _): abs(left - (expected.doubleValue ?? .infinity)) < 0.0001
    case (.string(let left), .integer(let right)): left == String(right)
    case (.string(let left), .string(let right)): UTF8Order.areEqual(left, right)
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { areSame($0, $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { member in expected[member.name].map { areSame(member.value, $0) } ?? false }
    default: found == expected
    }
  }
}
