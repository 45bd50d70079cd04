// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport

extension Server {
  /// Threads for records and mails, which are not to wait behind passwords.
  private static let otherWorkerCount = 2

  /// Serves until the process gets SIGTERM or SIGINT; then what has been received is stored and everything is closed.
  /// At SIGHUP the app directories are read again.
  ///
  /// - Throws: as `init`.
  public static func run(_ configuration: ServerConfiguration) throws {
    DescriptorLimit.raise()
    EventLoop.useThreads(configuration.limits.passwordSlots + Server.otherWorkerCount)
    let loop = try EventLoop()
    do {
      let server = try Server(configuration, loop: loop)
      for signal in [ProcessSignal.terminate, .interrupt] {
        signal.unblock()
        _ = try loop.onSignal(signal) { server.stop { loop.stop() } }
      }
      ProcessSignal.hangup.unblock()
      _ = try loop.onSignal(.hangup) { server.reload() }
    } catch {
      loop.stop()
      loop.run()
      throw error
    }
    loop.run()
  }
}
