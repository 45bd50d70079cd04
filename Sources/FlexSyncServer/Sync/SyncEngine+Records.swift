// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncProtocol

/// What is told to `onRecord`. Only what has been committed is.
extension SyncEngine {
  func record(_ kind: SyncRecord.Kind, _ session: SyncSession, _ details: [JSON.Member] = []) {
    guard let onRecord else { return }
    onRecord(
      SyncRecord(
        time: clock.milliseconds(),
        kind: kind,
        userID: session.userID,
        session: session.key.session,
        file: session.file?.ident ?? 0,
        details: details
      )
    )
  }

  func recordError(
    _ code: ErrorCode,
    _ message: String,
    _ session: SyncSession,
    _ details: [JSON.Member] = []
  ) {
    record(
      .error,
      session,
      [JSON.Member("error", .string(code.recordName)), JSON.Member("message", .string(message))] + details
    )
  }

  /// An upload, and the writes of it that were rejected (features row 137).
  func record(_ summary: UploadIntegration.Summary, _ session: SyncSession) {
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
    if !written.isEmpty {
      recordError(.compensatingWrite, Rejection.message, session, [Rejection.logMember(written)])
    }
    if !ingested.isEmpty {
      recordError(.writeNotAllowed, SessionFailure.ingestMessage, session, [Rejection.logMember(ingested)])
    }
  }
}

extension Rejection {
  /// Class → primary key → reason.
  fileprivate static func logMember(_ rejected: [Integrator.RejectedObject]) -> JSON.Member {
    JSON.Member("writes", logJSON(rejected))
  }
}

extension Array {
  fileprivate func partitioned(_ isFirst: (Element) -> Bool) -> ([Element], [Element]) {
    (filter(isFirst), filter { !isFirst($0) })
  }
}
