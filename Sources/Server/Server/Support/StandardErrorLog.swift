// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncServerSupport
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
  /// Time, level and message, followed by `key=value`.
  case text
  /// One JSON object per line.
  case json
}

extension Logger {
  /// The log of commands without options for it.
  public static let standardError = Logger(label: "flexsyncd") { _ in
    StandardErrorLog(format: .text, level: .info)
  }
}

/// Writes the log to standard error, one line per message.
public struct StandardErrorLog: LogHandler {
  public var metadata: Logger.Metadata = [:]
  public var logLevel: Logger.Level
  private let format: LogFormat

  public init(format: LogFormat, level: Logger.Level) {
    self.format = format
    logLevel = level
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
      .mapValues { ShortenedText.cut("\($0)") }.sorted { $0.key < $1.key }
    let text =
      switch format {
      case .text: StandardErrorLog.textLine(event.level, event.message, all)
      case .json: StandardErrorLog.jsonLine(event.level, event.message, all)
      }
    // One write per line, so that lines of different threads do not interleave.
    let bytes = Array("\(text)\n".utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func textLine(
    _ level: Logger.Level,
    _ message: Logger.Message,
    _ metadata: [(key: String, value: String)]
  ) -> String {
    let pairs = metadata.map { key, text in
      let isPlain = !text.isEmpty && !text.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x3d }
      return " \(key)=\(isPlain ? text : JSON.string(text).serialized)"
    }
    return ShortenedText.printable("\(timestamp()) \(level) \(message)\(pairs.joined())", to: .max)
  }

  private static func jsonLine(
    _ level: Logger.Level,
    _ message: Logger.Message,
    _ metadata: [(key: String, value: String)]
  ) -> String {
    let members =
      [
        JSON.Member("time", .string(timestamp())), JSON.Member("level", .string("\(level)")),
        JSON.Member("message", .string("\(message)")),
      ] + metadata.map { JSON.Member($0.key, .string($0.value)) }
    return JSON.object(members).serialized
  }

  private static func timestamp() -> String { UTCTime.text(milliseconds: WallClock.system.milliseconds()) }
}
