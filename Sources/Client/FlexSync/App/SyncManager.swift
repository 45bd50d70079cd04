// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The name in the Realm Swift SDK.
public typealias SyncLogLevel = LogLevel

/// Sync errors and logging of an app, and the settings of its requests and connections.
///
/// Each `App.syncManager` of an app has the same settings. Any thread.
public final class SyncManager: Sendable {
  public typealias ErrorHandler = ErrorReportingBlock

  private let app: AppHandle

  init(_ app: AppHandle) { self.app = app }

  /// The level of the log of this process. See `Logger`.
  public var logLevel: SyncLogLevel {
    get { Logger.shared.level }
    set { Logger.shared.level = newValue }
  }

  /// Receives the log of this process; nil for the library's own log. See `Logger`.
  public var logger: Logger.LogFunction? {
    get { Logger.shared.function }
    set { Logger.shared = Logger(level: Logger.shared.level, function: newValue) }
  }

  /// Receives the errors of all sync sessions, as `SyncError`s, on a background thread. Set it before opening the
  /// first realm.
  public var errorHandler: ErrorHandler? {
    get { app.state.values.withLock { $0.errorHandler } }
    set {
      app.state.values.withLock { $0.errorHandler = newValue }
      app.setErrorHandler(newValue)
    }
  }

  /// Text that is appended to the `User-Agent` header of sync connections that are opened later.
  public var userAgent: String {
    get { app.state.values.withLock { $0.userAgent } }
    set {
      app.state.values.withLock { $0.userAgent = newValue }
      app.setUserAgent(newValue)
    }
  }

  /// Headers for all requests to the server, including those that open sync connections. When they change, open
  /// sessions connect again. A name that is not a token of HTTP stops the program.
  public var customRequestHeaders: [String: String]? {
    get { app.state.values.withLock { $0.requestHeaders } }
    set {
      app.state.values.withLock { $0.requestHeaders = newValue }
      app.setRequestHeaders(newValue ?? [:])
    }
  }

  /// The name of the header that carries the user's token, for a proxy that needs `Authorization` for itself; nil for
  /// `Authorization`. When it changes, open sessions connect again. A name that is not a token of HTTP stops the program.
  public var authorizationHeaderName: String? {
    get { app.state.values.withLock { $0.authorizationHeader } }
    set {
      app.state.values.withLock { $0.authorizationHeader = newValue }
      app.setAuthorizationHeader(newValue ?? "")
    }
  }

  /// The times of sync connections that are opened later; nil for the defaults.
  public var timeoutOptions: SyncTimeoutOptions? {
    get { app.state.values.withLock { $0.timeouts }.map { SyncTimeoutOptions($0) } }
    set {
      let times = newValue?.times
      app.state.values.withLock { $0.timeouts = times }
      app.setTimeouts(times ?? SyncTimes())
    }
  }
}
