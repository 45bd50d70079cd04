// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncStore
import FlexSyncTransport
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Server {
  /// Threads for records and mails, which are not to wait behind passwords.
  private static let otherWorkerCount = 2

  /// How long the apps may take to begin stopping before what they do is interrupted.
  private static let patienceMilliseconds: UInt64 = 700
  /// When the process ends whatever runs: what was acknowledged is on disk.
  private static let lastMilliseconds: UInt64 = 1_900

  /// Serves until the process gets SIGTERM or SIGINT; then what has been received is stored, everything is closed, and the
  /// process ends within two seconds. At SIGHUP the app directories are read again.
  ///
  /// - Throws: as `init`.
  public static func run(_ configuration: ServerConfiguration) throws {
    DescriptorLimit.raise()
    EventLoop.useThreads(configuration.limits.passwordSlots + Server.otherWorkerCount)
    let loop = try EventLoop()
    var started: Server?
    do {
      var configuration = configuration
      configuration.appsHaveThreads = true
      let server = try Server(configuration, loop: loop)
      started = server
      let logger = configuration.logger
      let bound = LoopBound(server, loop: loop)
      try onTermination(server.threads.values.map(\.interruption), logger) {
        loop.execute { bound.value.stop { loop.stop() } }
      }
      ProcessSignal.hangup.unblock()
      _ = try loop.onSignal(.hangup) { server.reload() }
    } catch {
      if let started { started.stop { loop.stop() } } else { loop.stop() }
      loop.run()
      throw error
    }
    loop.run()
  }

  /// Watches for the signals on a loop and a thread of its own, since the server's loop may be waiting for an app that is in
  /// the middle of something long.
  private static func onTermination(
    _ interruptions: [Interruption],
    _ logger: Logger,
    _ stop: @escaping @Sendable () -> Void
  ) throws {
    let signals = try EventLoop()
    var isStopping = false
    func begin() {
      guard !isStopping else { return }
      isStopping = true
      stop()
      _ = signals.startTimer(afterMilliseconds: patienceMilliseconds) {
        if interruptions.filter({ $0.request() }).isEmpty == false {
          logger.notice("what the server was doing is interrupted")
        }
      }
      _ = signals.startTimer(afterMilliseconds: lastMilliseconds) {
        logger.warning("the server did not stop in time; it ends where it is")
        _exit(0)
      }
    }
    do {
      for signal in [ProcessSignal.terminate, .interrupt] {
        signal.unblock()
        _ = try signals.onSignal(signal, begin)
      }
      try signals.start()
    } catch {
      signals.stop()
      signals.run()
      throw error
    }
  }
}
