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
  /// The number of threads for records and e-mails, which must not wait behind passwords.
  private static let otherWorkerCount = 2

  /// How long the apps may take to begin stopping before their work is interrupted.
  private static let patienceMilliseconds: UInt64 = 700
  /// The time after which the process exits no matter what is still running. Everything acknowledged is on disk.
  private static let lastMilliseconds: UInt64 = 1_900

  /// Serves until the process receives SIGTERM or SIGINT. Then the server stores what it has received and closes
  /// everything, and the process exits within two seconds. On SIGHUP, the server reloads the app directories.
  ///
  /// - Throws: The same errors as `init`, and `StorageError` if the file of an app is deleted or replaced meanwhile.
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
      server.onLoss { error in loop.execute { bound.value.fail(error) { loop.stop() } } }
      ProcessSignal.hangup.unblock()
      _ = try loop.onSignal(.hangup) { server.reload() }
      // Whoever reads this line may send a signal at once.
      logger.info("listening on \(server.endpoint)")
      StartWarnings(
        configuration,
        listening: server.endpoint,
        certificateValidity: server.certificateValidity
      ).log()
    } catch {
      if let started { started.stop { loop.stop() } } else { loop.stop() }
      loop.run()
      throw error
    }
    loop.run()
    if let failure = started?.failure { throw failure }
  }

  /// Watches for the signals on a separate loop and thread, because the server's loop may be waiting for an app in
  /// the middle of a long operation.
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
          logger.notice("interrupting the server's work")
        }
      }
      _ = signals.startTimer(afterMilliseconds: lastMilliseconds) {
        logger.warning("the server did not stop in time; exiting immediately")
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
