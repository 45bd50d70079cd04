// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A subcommand of `flexsyncd` that has run in a process of its own.
struct Command {
  let output: String
  let errors: String
  let status: Int32

  init(_ arguments: [String]) throws {
    let (output, errors) = (Pipe(), Pipe())
    let process = Process()
    process.executableURL = ServerProcess.program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Neither of the texts is longer than what a pipe holds.
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    self.errors = String(decoding: text, as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}
