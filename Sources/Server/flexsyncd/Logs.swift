// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncConfiguration
import FlexSyncScheduling
import FlexSyncServer
import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// `flexsyncd logs`.
struct Logs: ReportingCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the records of an app's sessions.",
    discussion: """
      Shows sessions, changes of subscriptions, uploads, errors and rejected writes, each with user, session and \
      client file, oldest first. A server may be using the same data folder.
      """
  )

  @Option(help: ArgumentHelp("The app directory, or the app id.", valueName: "dir-or-id"))
  var app: String

  @OptionGroup var folder: DataFolderOption

  @Flag(help: "Show only errors and rejected writes.")
  var errors = false

  @Option(
    help: ArgumentHelp(
      "Show only the records of the user with this identifier or email address.",
      valueName: "user"
    )
  )
  var user: String?

  @Option(
    help: ArgumentHelp(
      "Show only records since then: a time in UTC such as 2026-03-01T09:30:00Z, a date, or how long ago: 90s, "
        + "15m, 2h, 7d.",
      valueName: "time"
    )
  )
  var since: String?

  @Flag(help: "Keep showing new records until the process is interrupted.")
  var follow = false

  @Flag(help: "Print one JSON object per line.")
  var json = false

  func validate() throws { try checkingOptions { _ = try since.map(milliseconds) } }

  func perform() throws {
    var filter = RecordFilter()
    filter.errorsOnly = errors
    filter.since = try since.map(milliseconds)
    let appID = try AppDirectory.identifier(of: app)
    let found = try user.map { try RecordedUser($0, dataFolder: folder.data, appID: appID) }
    filter.userID = found?.id
    let output = LineOutput()
    let reader = try RecordReader(
      dataFolder: folder.data,
      appID: appID,
      filter: filter
    ) { [json] in output.write(json ? $0.line : $0.text) }
    try reader.readAll()
    output.flush()
    if output.isUnused { try found?.checkExists() }
    while follow {
      usleep(250_000)
      try reader.readNew()
      output.flush()
    }
  }

  private func milliseconds(_ text: String) throws -> Int64 {
    if let time = UTCTime.milliseconds(text) { return time }
    let factors: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let factor = text.last.flatMap({ factors[$0] }), let count = Int64(text.dropLast()),
      (0...36_500 * 86_400).contains(count)
    else {
      throw ServerError(
        "--since \(text): write a time such as 2026-03-01T09:30:00Z, a date, or 90s, 15m, 2h, 7d"
      )
    }
    return WallClock.system.milliseconds() - count * factor * 1000
  }
}

/// Buffered lines for standard output. The reader may close the pipe at any time, which ends the process.
private final class LineOutput {
  private var pending: [UInt8] = []
  /// Whether nothing has been written yet.
  private(set) var isUnused = true

  func write(_ line: String) {
    isUnused = false
    pending += line.utf8
    pending.append(UInt8(ascii: "\n"))
    if pending.count > 64 << 10 { flush() }
  }

  func flush() {
    var written = 0
    while written < pending.count {
      let count = pending.withUnsafeBytes { bytes in
        systemWrite(bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 || errno == EINTR else { exit(1) }
      written += max(count, 0)
    }
    pending = []
  }
}

private func systemWrite(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(STDOUT_FILENO, bytes, count)
}
