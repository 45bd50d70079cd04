// SPDX-License-Identifier: Apache-2.0

import FlexSyncQuery
import FlexSyncWire

/// The reason why a query set is refused, in words for the client.
struct QuerySetRefusal: Error {
  let message: String
  /// Whether only the size is wrong.
  var exceedsLimits = false

  init(message: String) { self.message = message }

  init(_ error: SyncQueryError) {
    exceedsLimits = error.kind == .limitsExceeded
    message = exceedsLimits ? "LimitsExceeded: \(error.message)" : error.message
  }

  /// The error code. As a session error, LimitsExceeded aborts Realm's clients. As a query error it does not, because
  /// they then examine only the message.
  var code: ErrorCode { exceedsLimits ? .limitsExceeded : .badQuery }
}
