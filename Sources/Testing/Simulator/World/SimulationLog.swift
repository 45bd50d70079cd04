// SPDX-License-Identifier: Apache-2.0

import Logging

/// A human-readable log of a simulation; kept only on request.
final class SimulationLog: @unchecked Sendable {
  private(set) var lines: [String] = []
  let isKept: Bool
  private let time: SimulatedTime

  init(_ time: SimulatedTime, isKept: Bool) {
    self.time = time
    self.isKept = isKept
  }

  func write(_ text: @autoclosure () -> String) {
    guard isKept else { return }
    lines.append("\(time.now) \(text())")
  }

  /// A logger for the server.
  var logger: Logger {
    Logger(label: "simulation") { [self] _ -> any LogHandler in
      if isKept { SimulationLogHandler(log: self) } else { SwiftLogNoOpLogHandler() }
    }
  }
}

private struct SimulationLogHandler: LogHandler {
  let log: SimulationLog
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.debug

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    log.write("server \(event.level): \(event.message)\(details)")
  }
}
