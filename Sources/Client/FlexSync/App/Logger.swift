// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// The severity of a log line. A level lets through lines that are at least as severe.
public enum LogLevel: UInt32, Sendable {
  case all = 0
  case trace, debug, detail, info, warn, error, fatal, off
}

/// Receives the log of the library. `Logger.shared` is the logger of this process.
public final class Logger: Sendable {
  /// Receives one line per call, on any thread, possibly several at once.
  public typealias LogFunction = @Sendable (LogLevel, String) -> Void

  private static let current = Mutex(Logger(level: .warn, function: nil))

  /// The logger of this process. Initially it writes warnings and errors to stderr.
  public static var shared: Logger {
    get { current.withLock { $0 } }
    set {
      current.withLock { $0 = newValue }
      newValue.install()
    }
  }

  private let threshold: Mutex<LogLevel>
  private let function: LogFunction?

  /// Creates a logger that passes lines to `logFunction`.
  public convenience init(level: LogLevel, logFunction: @escaping LogFunction) {
    self.init(level: level, function: logFunction)
  }

  private init(level: LogLevel, function: LogFunction?) {
    threshold = Mutex(level)
    self.function = function
  }

  public var level: LogLevel {
    get { threshold.withLock { $0 } }
    set {
      threshold.withLock { $0 = newValue }
      if Logger.shared === self { install() }
    }
  }

  private func install() {
    let threshold = flx_log_level_t(rawValue: level.rawValue) ?? .FLX_LOG_WARN
    guard let function else { return flx_set_logger(threshold, nil, nil, nil) }
    flx_set_logger(
      threshold,
      { callLogFunction($0, $1, $2) },
      CallbackBox<LogFunction>.retained(function),
      freeCallbackBox
    )
  }
}

private func callLogFunction(
  _ userdata: UnsafeMutableRawPointer?,
  _ level: flx_log_level_t,
  _ message: flx_string_t
) {
  CallbackBox<Logger.LogFunction>.callback(in: userdata)(
    LogLevel(rawValue: level.rawValue) ?? .info,
    String(message)
  )
}
