// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs `body`. Prints an error of it to standard error in its own words and exits with status 1.
func reportingErrors(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch {
    printError("\(error)")
    throw ExitCode.failure
  }
}

/// Writes a message to standard error.
func printError(_ message: String) {
  let text = Array("flexsyncd: \(message)\n".utf8)
  _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
