// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncWire

/// The records passed to `onRecord`. They cover only what has been committed.
extension SyncEngine {
  func record(_ kind: SyncRecord.Kind, _ session: EngineSession, _ details: [JSON.Member] = []) {
    guard let onRecord else { return }
    onRecord(
      SyncRecord(
        time: clock.milliseconds(),
        kind: kind,
        userID: session.userID,
        session: session.key.session,
        file: session.presentedFile ?? 0,
        details: details
      )
    )
  }

  func recordError(
    _ code: ErrorCode,
    _ message: String,
    _ session: EngineSession,
    _ details: [JSON.Member] = []
  ) {
    record(
      .error,
      session,
      [JSON.Member("error", .string(code.recordName)), JSON.Member("message", .string(message))] + details
    )
  }

  /// Records an upload and its rejected writes.
  func record(_ summary: UploadIntegration.Summary, _ session: EngineSession) {
    guard summary.integratedCount > 0 else { return }
    record(
      .clientWrite,
      session,
      [
        JSON.Member("changesets", .integer(Int64(summary.integratedCount))),
        JSON.Member("rejected", .integer(Int64(summary.rejected.count))),
      ]
    )
    let (ingested, written) = summary.rejected.partitioned { schema.isAsymmetric($0.object.table) }
    for details in Rejection.logMembers(written) {
      recordError(.compensatingWrite, Rejection.message, session, details)
    }
    for details in Rejection.logMembers(ingested) {
      recordError(.writeNotAllowed, SessionFailure.ingestMessage, session, details)
    }
  }
}

extension Rejection {
  /// Returns, for each role that rejected writes, its name, and class → primary key → reason. The name is missing if
  /// no role applied.
  fileprivate static func logMembers(_ rejected: [WriteRefusal]) -> [[JSON.Member]] {
    let roles = Dictionary(grouping: rejected) { $0.role ?? "" }.sorted { $0.key < $1.key }
    return roles.map { role, objects in
      let name = role.isEmpty ? [] : [JSON.Member("role", .string(role))]
      return name + [JSON.Member("writes", logJSON(objects))]
    }
  }
}

extension JSON.Member {
  /// Returns a member whose value is a version.
  static func version(_ name: String, _ version: UInt64) -> JSON.Member {
    JSON.Member(name, .integer(Int64(clamping: version)))
  }
}

extension Array {
  fileprivate func partitioned(_ isFirst: (Element) -> Bool) -> ([Element], [Element]) {
    (filter(isFirst), filter { !isFirst($0) })
  }
}
