// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel
import FlexSyncWire

/// The objects of one upload entry whose changes the server reverts (protocol §8).
struct Rejection: Hashable {
  var clientVersion: UInt64
  var updates: [RejectedUpdate]

  /// The error message.
  static let message =
    "Client attempted a write that is outside of permissions or query filters; it has been reverted"

  /// The text stored with the stream entry.
  var text: String {
    let updates = updates.map { update -> JSON in
      var members = [
        JSON.Member("table", .string(update.className)),
        JSON.Member("pk", .string(RejectedKey.encode(update.key))),
        JSON.Member("reason", .string(update.reason)),
      ]
      if let detail = update.detail { members.append(JSON.Member("detail", .string(detail))) }
      return .object(members)
    }
    let json: JSON = ["clientVersion": .integer(Int64(clamping: clientVersion)), "updates": .array(updates)]
    return json.serialized
  }

  init(clientVersion: UInt64, updates: [RejectedUpdate]) {
    self.clientVersion = clientVersion
    self.updates = updates
  }

  /// Creates the rejection of objects of one upload entry.
  init(_ rejected: [RejectedObject], clientVersion: UInt64) {
    self.clientVersion = clientVersion
    updates = rejected.map { RejectedUpdate($0.refusal) }
  }

  /// Parses `text`.
  init(text: String) throws {
    let json = try JSON.parse(text)
    clientVersion = UInt64(clamping: json["clientVersion"]?.integerValue ?? 0)
    updates = try (json["updates"]?.arrayValue ?? []).map { update in
      RejectedUpdate(
        className: update["table"]?.stringValue ?? "",
        key: try RejectedKey.decode(update["pk"]?.stringValue ?? ""),
        reason: update["reason"]?.stringValue ?? "",
        detail: update["detail"]?.stringValue
      )
    }
  }

  /// Returns a text for the log with the class, key and reason of each object.
  static func logText(_ rejected: [RejectedObject]) -> String { logJSON(rejected).serialized }

  static func logJSON(_ rejected: [RejectedObject]) -> JSON {
    let classes = Dictionary(grouping: rejected, by: \.object.table).sorted { $0.key < $1.key }
    let members = classes.map { className, objects in
      JSON.Member(
        className,
        .object(objects.map { JSON.Member($0.object.key.bareText, .string($0.refusal.recordText)) })
      )
    }
    return .object(members)
  }

  /// The objects whose changes are reverted.
  var objects: [ObjectReference] { updates.map { ObjectReference(table: $0.className, key: $0.key) } }

  /// Returns two rejections joined into one, with the client version of the later upload.
  static func joined(_ left: Rejection?, _ right: Rejection) -> Rejection {
    guard let left else { return right }
    return Rejection(
      clientVersion: max(left.clientVersion, right.clientVersion),
      updates: left.updates + right.updates
    )
  }

  /// Returns the error for the stream version that reverts the changes.
  func info(serverVersion: UInt64) -> ErrorInfo {
    .compensatingWrite(
      message: Rejection.message,
      rejectedClientVersion: clientVersion,
      serverVersion: serverVersion,
      rejectedUpdates: updates
    )
  }
}
