// SPDX-License-Identifier: Apache-2.0

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
  let function: LogFunction?

  /// Creates a logger that passes lines to `logFunction`.
  public convenience init(level: LogLevel, logFunction: @escaping LogFunction) {
    self.init(level: level, function: logFunction)
  }

  init(level: LogLevel, function: LogFunction?) {
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
    flexSetLogger(level, function)
  }
}
