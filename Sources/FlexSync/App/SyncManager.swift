// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// Sync errors and logging of an app.
public final class SyncManager: Sendable {
  public typealias ErrorHandler = @Sendable (any Error, SyncSession?) -> Void

  nonisolated(unsafe) private let app: OpaquePointer
  private let handler = Mutex<ErrorHandler?>(nil)

  /// The manager belongs to the app and does not outlive it.
  init(_ app: OpaquePointer) { self.app = app }

  /// Receives the errors of all sync sessions, on a background thread: `SyncError`s. Set it before the first realm is
  /// opened.
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
  CallbackBox<SyncManager.ErrorHandler>.callback(in: userdata)(
    SyncError(error.pointee),
    SyncSession(takingOver: flx_session_retain(session))
  )
}

/// Severity of log lines.
public enum LogLevel: UInt32, Sendable {
  case all = 0
  case trace, debug, detail, info, warn, error, fatal, off
}

/// The log of the library.
public enum Logger {
  /// Sends lines at least as severe as `level` to `function`, for the whole process; nil gives them back to stderr.
  public static func set(level: LogLevel, function: (@Sendable (LogLevel, String) -> Void)? = nil) {
    let threshold = flx_log_level_t(rawValue: level.rawValue) ?? .FLX_LOG_WARN
    guard let function else { return flx_set_logger(threshold, nil, nil, nil) }
    flx_set_logger(
      threshold,
      { callLogFunction($0, $1, $2) },
      CallbackBox<@Sendable (LogLevel, String) -> Void>.retained(function),
      freeCallbackBox
    )
  }
}

private func callLogFunction(
  _ userdata: UnsafeMutableRawPointer?,
  _ level: flx_log_level_t,
  _ message: flx_string_t
) {
  CallbackBox<@Sendable (LogLevel, String) -> Void>.callback(in: userdata)(
    LogLevel(rawValue: level.rawValue) ?? .info,
    String(message)
  )
}
