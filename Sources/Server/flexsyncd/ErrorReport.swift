// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A command that prints any error as a plain message to standard error, and then exits with status 1.
protocol ReportingCommand: ParsableCommand {
  /// Does the work. An `ExitCode` ends the process without a message.
  func perform() throws

  /// The log that takes the error, if programs read it; nil to print it.
  var errorLogger: Logger? { get }
}

extension ReportingCommand {
  var errorLogger: Logger? { nil }

  func run() throws {
    do {
      try perform()
    } catch let error where !(error is ExitCode) {
      if let errorLogger { errorLogger.critical("\(error)") } else { printError("\(error)") }
      throw ExitCode.failure
    }
  }
}

extension ParsableArguments {
  /// Makes an error in `body` that of a wrong command line, with which the process ends with status 64. For `validate`.
  func checkingOptions(_ body: () throws -> Void) throws {
    do { try body() } catch { throw ValidationError("\(error)") }
  }
}

/// Writes a message to standard error.
func printError(_ message: String) {
  let text = Array("flexsyncd: \(message)\n".utf8)
  _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Writes a warning to standard error, if there is one.
func printWarning(_ warning: String?) {
  if let warning { printError("warning: \(warning)") }
}
