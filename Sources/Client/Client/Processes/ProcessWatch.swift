// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncTransport
import Synchronization

/// Calls back when another process has committed to a file. Any thread.
///
/// It waits on a loop that all files of the process share, because local realms have none, and the program may run that
/// of an app.
final class ProcessWatch: @unchecked Sendable {
  private static let sharedRuntime = Mutex<Runtime?>(nil)

  private weak let processes: ProcessTable?
  private let path: String
  private let changed: @Sendable () -> Void
  // The following properties are confined to the loop.
  private var watcher: EventWatcher?
  /// Runs until the next look, if the system does not watch the file.
  private var timer: (any ScheduledTimer)?
  private var isCanceled = false

  /// - Parameter changed: called on the loop once the watch has begun, and then whenever another process has committed.
  init(_ processes: ProcessTable, _ changed: @escaping @Sendable () -> Void) {
    self.processes = processes
    path = processes.path
    self.changed = changed
    do {
      try Self.runtime().loop.execute { [self] in start() }
    } catch {
      report(error)
    }
  }

  /// Ends the calls.
  func cancel() {
    _ = try? Self.runtime().loop.execute { [self] in
      isCanceled = true
      watcher?.cancel()
      watcher = nil
      timer?.cancel()
      timer = nil
    }
  }

  private func start() {
    guard !isCanceled, let loop = try? Self.runtime().loop else { return }
    do {
      watcher = try loop.watchFile(path) { [weak self] in self?.wake() }
    } catch {
      let interval: UInt64 = 500
      Log.write(.warn, "other processes' changes are looked for every \(interval) ms: \(error)")
      look(every: interval, loop)
    }
    changed()
  }

  private func look(every milliseconds: UInt64, _ loop: any Scheduler) {
    timer = loop.startTimer(afterMilliseconds: milliseconds) { [weak self] in
      guard let self, !isCanceled else { return }
      look(every: milliseconds, loop)
      wake()
    }
  }

  private func wake() { if processes?.takeWakeUp() == true { changed() } }

  private func report(_ error: any Error) {
    Log.write(.warn, "other processes' changes are noticed only when a realm refreshes: \(error)")
  }

  private static func runtime() throws -> Runtime {
    try sharedRuntime.withLock { shared in
      if let shared { return shared }
      let runtime = try Runtime(hosting: .ownThread)
      shared = runtime
      return runtime
    }
  }
}
