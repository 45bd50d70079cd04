// SPDX-License-Identifier: Apache-2.0

import FlexSyncEngine
import FlexSyncJSON
import FlexSyncServerSupport

/// A filter that selects records.
public struct RecordFilter: Hashable, Sendable {
  /// Selects only errors and rejected writes.
  public var errorsOnly = false
  /// Selects only the records of this user.
  public var userID: String?
  /// Selects only records from this time on, in milliseconds since 1970.
  public var since: Int64?

  /// Creates a filter that selects all records.
  public init() {}

  /// Returns whether the filter selects a record; false if the JSON is not a record.
  func matches(_ record: JSON) -> Bool {
    guard let type = record["type"]?.stringValue, let time = record["time"]?.stringValue else { return false }
    if errorsOnly, type != SyncRecord.Kind.error.rawValue { return false }
    if let userID, record["user"]?.stringValue != userID { return false }
    guard let since else { return true }
    return UTCTime.milliseconds(time).map { $0 >= since } ?? false
  }
}

/// A record found in a file.
public struct FoundRecord: Hashable, Sendable {
  /// The record's line, a JSON object.
  public let line: String
  let json: JSON

  /// The record in human-readable form: time, type, `key=value`, message.
  public var text: String {
    let members = json.objectValue ?? []
    let pairs = members.filter { !["time", "type", "message"].contains($0.name) && !$0.value.isAbsent }
      .map { " \($0.name)=\($0.value.plainText)" }
    let message = json["message"]?.stringValue.map { " \($0)" } ?? ""
    return "\(json["time"]?.stringValue ?? "") \(json["type"]?.stringValue ?? "")\(pairs.joined())\(message)"
  }
}

extension JSON {
  /// Whether the value is null or 0 and is omitted from the text.
  fileprivate var isAbsent: Bool { self == .null || self == .integer(0) }

  /// The value, without quotes if it is readable without them.
  fileprivate var plainText: String {
    guard let text = stringValue else { return serialized }
    let isPlain = !text.isEmpty && !text.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x3d }
    return isPlain ? text : serialized
  }
}
