// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire

// Asymmetric classes: their objects are uploaded and stored, and never sent to any client (protocol §8.3, §10.2).

extension AppSchema {
  /// Whether the objects of a class are only ingested.
  func isAsymmetric(_ className: String) -> Bool { schema[className]?.kind == .asymmetric }
}

extension SessionFailure {
  /// The error message for writes to asymmetric classes that are not stored.
  static let ingestMessage =
    "Client attempted a write to an asymmetric table that is not allowed; it has not been stored"

  /// Returns the failure that reports what was not stored. The client binds again, because there is nothing on the
  /// device to revert.
  ///
  /// Unlike a compensating write, it is reported only once; the server's log keeps it in any case.
  static func writeNotAllowed(_ rejection: Rejection) -> SessionFailure {
    SessionFailure(
      code: .writeNotAllowed,
      action: .warning,
      message: ingestMessage,
      tryAgain: true,
      backoff: BackoffParameters(initialSeconds: 1, maximumSeconds: 10),
      rejection: rejection
    )
  }
}
