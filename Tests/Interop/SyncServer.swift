// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a client takes for its server.
protocol SyncAddress: AnyObject {
  var url: String { get }
}

/// A `flexsyncd` of its own, which can be killed and started again at the same address.
final class SyncServer: SyncAddress {
  private let executable: String
  private let app: String
  private let folder: String
  private var process: ChildProcess?
  private(set) var address = "127.0.0.1:0"

  init(executable: String, app: String, folder: String) throws {
    self.executable = executable
    self.app = app
    self.folder = folder
    try start()
  }

  var url: String { "http://\(address)" }

  /// `kill -9`, and a new process on what the old one has left behind.
  func restart() throws {
    kill()
    try start()
  }

  func kill() {
    process?.kill()
    process = nil
  }

  private func start() throws {
    let log = "\(folder)/server.log"
    // The line of the server before must not be taken for the one of this server.
    let before = (try? String(contentsOfFile: log, encoding: .utf8))?.count ?? 0
    process = try ChildProcess(
      executable,
      ["serve", "--app", app, "--data", "\(folder)/server", "--listen", address],
      errors: log
    )
    for _ in 0..<400 {
      let text = try String(contentsOfFile: log, encoding: .utf8).dropFirst(before)
      if let found = text.firstMatch(of: /listening on ([0-9.]+:[0-9]+)/) {
        address = String(found.1)
        return
      }
      Thread.sleep(forTimeInterval: 0.025)
    }
    throw InteropError("the server does not start, see \(log)")
  }
}
