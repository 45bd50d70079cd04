// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncQuery
import FlexSyncServerSupport
import FlexSyncWire

/// The limits on clients' use of a server: `flexsyncd serve --limit NAME=VALUE` (Docs/Operations.md, "Limits").
public struct ServerLimits: Hashable, Sendable {
  /// The maximum size of a client's message, and of a message body after decompression.
  public var messageByteCount = MessageLimits.standard.bodyByteCount
  /// The maximum size of a changeset, and thus of a write transaction.
  public var changesetByteCount = Changeset.longestByteCount
  /// The maximum number of instructions in a changeset. Each takes far more memory than it has bytes.
  public var instructionCount = 2_000_000
  /// The maximum length of the query for one class in a subscription set.
  public var queryByteCount = SyncQueryValidator.maximumByteCount
  /// The maximum size of a subscription set: that of several queries of the maximum length, with the escapes that they
  /// may need.
  public var querySetByteCount: Int { max(64 << 10, 8 * queryByteCount) }
  /// The maximum number of subscriptions in a set.
  public var subscriptionCount = 5_000
  /// The maximum number of concurrent sessions per user, across all devices.
  public var sessionsPerUser = 1_000
  /// The maximum number of client files per user that the server remembers.
  public var filesPerUser = 1_000
  /// The sustained upload rate per user. Uploads beyond it are delayed.
  public var uploadBytesPerSecond = 16 << 20
  /// The size of the upload burst allowed per user before the rate applies.
  public var uploadBurstByteCount = 64 << 20
  /// The sustained number of subscription sets per user and minute. Sets beyond it are delayed.
  public var queriesPerMinute = 600
  /// The number of subscription sets a user may send in a burst before the rate applies.
  public var queryBurst = 1_000
  /// The maximum number of connections from one address; 0 for no limit.
  public var connectionsPerAddress = 1_000
  /// The maximum number of passwords hashed concurrently.
  public var passwordSlots = 3
  /// The maximum number of requests waiting for a password slot, across all addresses.
  public var waitingPasswords = 4_000
  /// The maximum number of requests from one address waiting for a password slot.
  public var waitingPasswordsPerAddress = 1_000
  /// The maximum number of anonymous users that one address may create within the attempt window; 0 for no limit.
  public var anonymousUsersPerAddress = 1_000
  /// The maximum size of the body of an HTTP request.
  public var requestByteCount = 64 << 10
  /// How long a client may leave pending data unread.
  public var stallSeconds = 180
  /// The maximum disk space for an app's records; 0 to keep none.
  public var recordByteCount = 256 << 20
  /// The share of that space that one user may use per hour.
  public var recordBytesPerUser = 4 << 20

  /// Creates limits with the default values.
  public init() {}

  /// Creates limits from values given on the command line.
  ///
  /// - Throws: `ServerError` with a description of the problem, also if a limit is given twice.
  public init(_ texts: [String]) throws(ServerError) {
    var names: Set<Substring> = []
    for text in texts {
      try apply(text)
      let name = text.prefix { $0 != "=" }
      guard names.insert(name).inserted else { throw ServerError("the limit \(name) is given twice") }
    }
    try check()
  }

  /// The room that a message needs besides a write transaction.
  private static let messageOverhead = 1 << 10

  /// Checks limits that belong together.
  ///
  /// - Throws: `ServerError` if a write transaction that the server accepts fits into no message.
  package func check() throws(ServerError) {
    guard messageByteCount < changesetByteCount + ServerLimits.messageOverhead else { return }
    throw ServerError(
      "the limit message-bytes (\(messageByteCount)) must exceed changeset-bytes (\(changesetByteCount)) by at least "
        + "\(ServerLimits.messageOverhead): a device could never upload a write transaction between the two, and nothing "
        + "that it writes after that. Raise message-bytes, or lower changeset-bytes"
    )
  }

  /// Sets a limit given in the form used on the command line, such as `changeset-bytes=4MiB`.
  ///
  /// - Throws: `ServerError` with a description of the problem.
  public mutating func apply(_ text: String) throws(ServerError) {
    guard let equals = text.firstIndex(of: "=") else {
      throw ServerError("the limit \"\(text)\" has no value; write it as NAME=VALUE")
    }
    let name = String(text[..<equals])
    guard let limit = ServerLimit.all.first(where: { $0.name == name }) else {
      let names = ServerLimit.all.map(\.name).joined(separator: ", ")
      throw ServerError("unknown limit \"\(name)\"; the limits are \(names)")
    }
    self[keyPath: limit.value] = try limit.parse(String(text[text.index(after: equals)...]))
  }
}

/// A limit as named on the command line and in the documentation.
public struct ServerLimit: Sendable {
  /// The name on the command line. Its suffix is the unit.
  public let name: String
  /// A short description of what is limited.
  public let purpose: String
  let value: WritableKeyPath<ServerLimits, Int> & Sendable
  let range: ClosedRange<Int>

  /// All limits, in the order of the documentation.
  public static let all: [ServerLimit] = [
    ServerLimit(
      name: "message-bytes",
      purpose: "the maximum size of a client's message, both compressed and decompressed",
      value: \.messageByteCount,
      range: 64 << 10...1 << 30
    ),
    ServerLimit(
      name: "changeset-bytes",
      purpose: "the maximum size of a write transaction",
      value: \.changesetByteCount,
      range: 1 << 10...Changeset.longestByteCount
    ),
    ServerLimit(
      name: "instructions-per-changeset",
      purpose:
        "the maximum number of instructions in a write transaction: objects created or deleted, values set",
      value: \.instructionCount,
      range: 1_000...16_777_208
    ),
    ServerLimit(
      name: "query-bytes",
      purpose: "the maximum length of the query for one class, which combines all its subscriptions",
      value: \.queryByteCount,
      range: 256...SyncQueryValidator.maximumByteCount
    ),
    ServerLimit(
      name: "subscriptions-per-set",
      purpose: "the maximum number of conditions joined with OR in a subscription set",
      value: \.subscriptionCount,
      range: 1...1_000_000
    ),
    ServerLimit(
      name: "sessions-per-user",
      purpose: "the maximum number of concurrent sessions of a user, across all devices",
      value: \.sessionsPerUser,
      range: 1...1_000_000
    ),
    ServerLimit(
      name: "files-per-user",
      purpose:
        "the maximum number of a user's client files; the server forgets the least recently used one to make room",
      value: \.filesPerUser,
      range: 1...1_000_000
    ),
    ServerLimit(
      name: "upload-bytes-per-second",
      purpose: "the sustained rate at which a user may upload; the server delays uploads beyond it",
      value: \.uploadBytesPerSecond,
      range: 16 << 10...1 << 40
    ),
    ServerLimit(
      name: "upload-burst-bytes",
      purpose: "how much a user may upload in a burst before upload-bytes-per-second applies",
      value: \.uploadBurstByteCount,
      range: 0...1 << 40
    ),
    ServerLimit(
      name: "queries-per-minute",
      purpose:
        "the sustained rate at which a user may send subscription sets; the server delays those beyond it",
      value: \.queriesPerMinute,
      range: 1...1_000_000
    ),
    ServerLimit(
      name: "query-burst",
      purpose: "how many subscription sets a user may send in a burst before queries-per-minute applies",
      value: \.queryBurst,
      range: 0...1_000_000
    ),
    ServerLimit(
      name: "connections-per-address",
      purpose:
        "the maximum number of connections from one network address, loopback excepted; 0 for no limit",
      value: \.connectionsPerAddress,
      range: 0...1_000_000
    ),
    ServerLimit(
      name: "password-slots",
      purpose: "how many passwords are checked concurrently; each check occupies 32 MiB and a processor",
      value: \.passwordSlots,
      range: 1...256
    ),
    ServerLimit(
      name: "passwords-waiting",
      purpose: "the maximum number of requests to an app waiting for a password check",
      value: \.waitingPasswords,
      range: 0...1_000_000
    ),
    ServerLimit(
      name: "passwords-waiting-per-address",
      purpose: "the maximum number of these requests from one network address",
      value: \.waitingPasswordsPerAddress,
      range: 0...1_000_000
    ),
    ServerLimit(
      name: "anonymous-users-per-address",
      purpose:
        "how many anonymous users one network address may create within --attempt-minutes; 0 for no limit",
      value: \.anonymousUsersPerAddress,
      range: 0...1_000_000_000
    ),
    ServerLimit(
      name: "request-bytes",
      purpose: "the maximum size of the body of an HTTP request",
      value: \.requestByteCount,
      range: 1 << 10...1 << 30
    ),
    ServerLimit(
      name: "stall-seconds",
      purpose: "how long a client may leave pending data unread before the server disconnects it",
      value: \.stallSeconds,
      range: 1...86_400
    ),
    ServerLimit(
      name: "record-bytes",
      purpose: "the maximum disk space for the records of an app; 0 to keep none",
      value: \.recordByteCount,
      range: 0...1 << 40
    ),
    ServerLimit(
      name: "record-bytes-per-user",
      purpose: "the maximum size of the records of one user in an hour",
      value: \.recordBytesPerUser,
      range: 0...1 << 40
    ),
  ]

  /// The default value in the form used by the documentation.
  public var standard: String { ServerLimit.text(ServerLimits()[keyPath: value]) }

  func parse(_ text: String) throws(ServerError) -> Int {
    guard let number = ServerLimit.number(text) else {
      throw ServerError(
        "the limit \(name) is \"\(text)\"; it must be a whole number, optionally followed by KiB, MiB or GiB"
      )
    }
    guard range.contains(number) else {
      throw ServerError(
        "the limit \(name) is \(text); it must be from \(ServerLimit.text(range.lowerBound)) to "
          + ServerLimit.text(range.upperBound)
      )
    }
    return number
  }

  private static let units: [(name: String, factor: Int)] = [
    ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
  ]

  private static func number(_ text: String) -> Int? {
    let unit = units.first { text.hasSuffix($0.name) }
    guard let number = Int(text.dropLast(unit?.name.count ?? 0)), number >= 0 else { return nil }
    let (product, hasOverflowed) = number.multipliedReportingOverflow(by: unit?.factor ?? 1)
    return hasOverflowed ? nil : product
  }

  private static func text(_ number: Int) -> String {
    guard number > 0, let unit = units.first(where: { number % $0.factor == 0 }) else { return "\(number)" }
    return "\(number / unit.factor)\(unit.name)"
  }
}
