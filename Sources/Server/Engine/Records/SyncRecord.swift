// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerSupport
import FlexSyncWire

/// An event in a session, recorded for the server's operator (`flexsyncd logs`).
package struct SyncRecord: Sendable, Hashable {
  /// The type of event. The names are those of App Services where it has an equivalent.
  package enum Kind: String, Sendable, CaseIterable {
    case sessionStart = "SYNC_SESSION_START"
    case sessionEnd = "SYNC_SESSION_END"
    case subscriptions = "SYNC_SUBSCRIPTIONS"
    case clientWrite = "SYNC_CLIENT_WRITE"
    case error = "SYNC_ERROR"
  }

  /// Milliseconds since 1970.
  package var time: Int64
  package var kind: Kind
  package var userID: String
  /// The number of the session within its connection.
  package var session: UInt64
  /// The client file; 0 before it has been identified.
  package var file: UInt64
  /// Further details, depending on the kind. Long texts are truncated.
  package let details: [JSON.Member]
  /// The approximate size of the record in a file.
  package let byteCount: Int

  package init(
    time: Int64,
    kind: Kind,
    userID: String,
    session: UInt64,
    file: UInt64,
    details: [JSON.Member]
  ) {
    self.time = time
    self.kind = kind
    self.userID = userID
    self.session = session
    self.file = file
    var budget = ShortenedText.recordByteCount
    self.details = JSON.shortened(details, &budget)
    byteCount = SyncRecord.commonByteCount + ShortenedText.recordByteCount - budget
  }

  /// The approximate size of the fields that all records have: time, type, user, session and file.
  private static let commonByteCount = 128

  /// The record as a line of a file.
  package var line: String {
    let members = [
      JSON.Member("time", .string(UTCTime.text(milliseconds: time))),
      JSON.Member("type", .string(kind.rawValue)),
      JSON.Member("user", .string(userID)),
      JSON.Member("session", .integer(Int64(clamping: session))),
      JSON.Member("file", .integer(Int64(clamping: file))),
    ]
    return JSON.object(members + details).serialized + "\n"
  }
}
