// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel
import FlexSyncStore
import FlexSyncWire

/// The objects of one upload entry whose changes the server reverts (protocol §8).
struct Rejection: Hashable {
  var clientVersion: UInt64
  var updates: [RejectedUpdate]
  /// The number of further reverted objects that are too many to name, or whose keys are too long.
  var omittedCount = 0

  /// The error message.
  static let message =
    "Client attempted a write that is outside of permissions or query filters; it has been reverted"

  /// The text stored with the stream entry.
  var text: String {
    var members = [
      JSON.Member("clientVersion", .integer(Int64(clamping: clientVersion))),
      JSON.Member("updates", .array(updates.map(\.json))),
    ]
    if omittedCount > 0 { members.append(JSON.Member("omitted", .integer(Int64(omittedCount)))) }
    return JSON.object(members).serialized
  }

  /// Returns a text for the log with the class, key and reason of each object.
  static func logText(_ refusals: [WriteRefusal]) -> String { logJSON(refusals).serialized }

  static func logJSON(_ refusals: [WriteRefusal]) -> JSON {
    let classes = Dictionary(grouping: refusals, by: \.object.table).sorted { $0.key < $1.key }
    let members = classes.map { className, refusals in
      JSON.Member(
        className,
        .object(refusals.map { JSON.Member($0.object.key.shortened.bareText, .string($0.recordText)) })
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
      updates: left.updates + right.updates,
      omittedCount: left.omittedCount + right.omittedCount
    )
  }

  /// The greatest length of the encoded updates of an error, unless a single one is longer.
  private static let partByteCount = 4 << 20

  /// The updates, divided so that each part fits in a message that clients accept.
  var parts: [ArraySlice<RejectedUpdate>] {
    var parts: [ArraySlice<RejectedUpdate>] = []
    var start = updates.startIndex
    var byteCount = 0
    for (index, update) in updates.enumerated() {
      let length = update.json.serialized.utf8.count + 1
      if index > start, byteCount + length > Rejection.partByteCount {
        parts.append(updates[start..<index])
        (start, byteCount) = (index, 0)
      }
      byteCount += length
    }
    if start < updates.endIndex { parts.append(updates[start...]) }
    return parts
  }

  /// Returns the errors for the stream version that reverts the changes: several if there are more objects than fit in
  /// a message that clients accept.
  ///
  /// There is none if all keys are too long: clients that get such an error without objects fail.
  func infos(serverVersion: UInt64) -> [ErrorInfo] {
    let more = omittedCount == 0 ? "" : " (\(omittedCount) more rejected writes are not listed)"
    return parts.map {
      .compensatingWrite(
        message: Rejection.message + more,
        rejectedClientVersion: clientVersion,
        serverVersion: serverVersion,
        rejectedUpdates: Array($0)
      )
    }
  }
}

extension Rejection {
  /// Creates the rejection of objects of one upload entry.
  init(_ refusals: [WriteRefusal], clientVersion: UInt64) {
    self.init(clientVersion: clientVersion, updates: [])
    var byteCount = 0
    for refusal in refusals {
      let update = RejectedUpdate(refusal)
      let length = update.json.serialized.utf8.count
      guard length <= Rejection.updateByteCount, byteCount + length <= Rejection.byteCount else {
        omittedCount += 1
        continue
      }
      byteCount += length
      updates.append(update)
    }
  }

  /// The greatest length of an encoded update. A longer one would not fit in a message that clients accept, because of
  /// its key.
  private static let updateByteCount = 12 << 20
  /// The greatest length of all encoded updates of an upload entry, which are stored with the entry that reverts them.
  private static let byteCount = 16 << 20

  /// Parses `text`, as it was stored in a file.
  ///
  /// - Throws: `StorageError` if the text is damaged.
  init(text: String, storedIn path: String) throws(StorageError) {
    guard let json = try? JSON.parse(text),
      let clientVersion = json["clientVersion"]?.integerValue.flatMap(UInt64.init(exactly:)),
      let elements = json["updates"]?.arrayValue,
      let updates = try? elements.map({ try RejectedUpdate($0) })
    else {
      throw StorageError(kind: .corrupt, message: "'\(path)' is damaged: malformed rejection in a stream.")
    }
    self.init(
      clientVersion: clientVersion,
      updates: updates,
      omittedCount: json["omitted"]?.integerValue.map(Int.init) ?? 0
    )
  }
}
