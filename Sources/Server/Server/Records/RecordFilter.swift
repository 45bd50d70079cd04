// SPDX-License-Identifier: Apache-2.0

import FlexSyncEngine
import FlexSyncJSON
import FlexSyncServerSupport

/// Which records are asked for.
public struct RecordFilter: Hashable, Sendable {
  /// Errors and rejected writes only.
  public var errorsOnly = false
  /// Those of one user only.
  public var userID: String?
  /// Those from this time on, in milliseconds since 1970.
  public var since: Int64?

  /// All records.
  public init() {}

  /// Whether a record is asked for; false for a line that is none.
  func matches(_ record: JSON) -> Bool {
    guard let type = record["type"]?.stringValue, let time = record["time"]?.stringValue else { return false }
    if errorsOnly, type != SyncRecord.Kind.error.rawValue { return false }
    if let userID, record["user"]?.stringValue != userID { return false }
    guard let since else { return true }
    return UTCTime.milliseconds(time).map { $0 >= since } ?? false
  }
}

/// A record as it is found in a file.
public struct FoundRecord: Hashable, Sendable {
  /// One JSON object.
  public let line: String
  let json: JSON

  /// The record for people: time, type, `key=value`, message.
  public var text: String {
    let members = json.objectValue ?? []
    let pairs = members.filter { !["time", "type", "message"].contains($0.name) && !$0.value.isAbsent }
      .map { " \($0.name)=\($0.value.plainText)" }
    let message = json["message"]?.stringValue.map { " \($0)" } ?? ""
    return "\(json["time"]?.stringValue ?? "") \(json["type"]?.stringValue ?? "")\(pairs.joined())\(message)"
  }
}

extension JSON {
  /// Nothing that people want to read.
  fileprivate var isAbsent: Bool { self == .null || self == .integer(0) }

  /// A value without quotes where it can be read without.
  fileprivate var plainText: String {
    guard let text = stringValue else { return serialized }
    let isPlain = !text.isEmpty && !text.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x3d }
    return isPlain ? text : serialized
  }
}
