// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncServer
import Logging

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}

/// Options for the content and format of the log.
struct LogOptions: ParsableArguments {
  @Option(help: "The log level: trace, debug, info, notice, warning, error or critical.")
  var logLevel = Logger.Level.info

  @Option(help: "The log format: text or json.")
  var logFormat = LogFormat.text

  func makeLogger() -> Logger {
    let (level, format) = (logLevel, logFormat)
    return Logger(label: "flexsyncd") { _ in StandardErrorLog(format: format, level: level) }
  }
}
