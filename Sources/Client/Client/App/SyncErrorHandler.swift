// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The receiver of the errors of an app's sync sessions. Any thread.
final class SyncErrorHandler: Sendable {
  typealias Handler = @Sendable (SyncSession, SyncError) -> Void

  private let handler = Mutex<Handler?>(nil)

  /// Replaces the receiver; nil removes it.
  func set(_ newHandler: Handler?) { handler.replace(with: newHandler) }

  /// Logs an error and passes it to the receiver. On the loop.
  func report(_ error: SyncError, of session: SyncSession) {
    Log.write(
      error.isFatal ? .error : .warn,
      "sync of '\(session.path)': \(error.message)"
    )
    handler.withLock { $0 }?(session, error)
  }
}
