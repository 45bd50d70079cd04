// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line, and the threshold from which lines are written. The numbers are those of
/// `flx_log_level_t`.
enum LogLevel: Int32, Sendable {
  case all
  case trace
  case debug
  case detail
  case info
  case warn
  case error
  case fatal
  case off

  var name: String { self == .warn ? "warning" : "\(self)" }
}
