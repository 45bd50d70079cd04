// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A command that prints any error as a plain message to standard error, and then exits with status 1.
protocol ReportingCommand: ParsableCommand {
  /// Does the work. An `ExitCode` ends the process without a message.
  func perform() throws
}

extension ReportingCommand {
  func run() throws {
    do {
      try perform()
    } catch let error where !(error is ExitCode) {
      printError("\(error)")
      throw ExitCode.failure
    }
  }
}

/// Writes a message to standard error.
func printError(_ message: String) {
  let text = Array("flexsyncd: \(message)\n".utf8)
  _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
