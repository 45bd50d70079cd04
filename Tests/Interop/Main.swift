// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Clients of different makes edit the same objects at once and must end equal. See README.md.
@main
enum Main {
  static func main() {
    // A participant that has died is noticed when it is written to.
    signal(SIGPIPE, SIG_IGN)
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      let run = try Run(options)
      defer { run.end() }
      let summary = try run.play()
      print("interop: seed \(options.seed): all are equal after \(options.rounds) rounds: \(summary)")
    } catch {
      FileHandle.standardError.write(Data("interop: \(error)\n".utf8))
      exit(1)
    }
  }
}
