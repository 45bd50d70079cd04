// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// Sync errors and logging of an app.
public final class SyncManager: Sendable {
  public typealias ErrorHandler = ErrorReportingBlock

  nonisolated(unsafe) private let app: OpaquePointer
  private let handler = Mutex<ErrorHandler?>(nil)

  init(_ app: OpaquePointer) { self.app = flx_app_retain(app) }

  deinit { flx_app_release(app) }

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
      guard let newValue else { return flx_app_set_error_handler(app, nil, nil, nil) }
      flx_app_set_error_handler(
        app,
        { callErrorHandler($0, $1, $2) },
        CallbackBox<ErrorHandler>.retained(newValue),
        freeCallbackBox
      )
    }
  }
}

private func callErrorHandler(
  _ userdata: UnsafeMutableRawPointer?,
  _ session: OpaquePointer,
  _ error: UnsafePointer<flx_sync_error_t>
) {
  let session = SyncSession(takingOver: flx_session_retain(session))
  CallbackBox<SyncManager.ErrorHandler>.callback(in: userdata)(SyncError(error.pointee, session), session)
}
