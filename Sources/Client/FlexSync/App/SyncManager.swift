// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sync errors and logging of an app.
public final class SyncManager: Sendable {
  public typealias ErrorHandler = ErrorReportingBlock

  private let app: AppHandle
  private let handler = Mutex<ErrorHandler?>(nil)

  init(_ app: AppHandle) { self.app = app }

  /// The level of the log of this process. See `Logger`.
  public var logLevel: LogLevel {
    get { Logger.shared.level }
    set { Logger.shared.level = newValue }
  }

  /// Receives the errors of all sync sessions, as `SyncError`s, on a background thread. Set it before opening the
  /// first realm.
  public var errorHandler: ErrorHandler? {
    get { handler.withLock { $0 } }
    set {
      handler.withLock { $0 = newValue }
      app.setErrorHandler(newValue)
    }
  }
}
