// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// The delay before a client binds a suspended session again (protocol §3.5, "Resumption delay").
public struct BackoffParameters: Hashable, Sendable {
  public var initialSeconds: UInt64
  public var maximumSeconds: UInt64
  public var multiplier: UInt64

  public init(initialSeconds: UInt64, maximumSeconds: UInt64, multiplier: UInt64 = 2) {
    self.initialSeconds = initialSeconds
    self.maximumSeconds = maximumSeconds
    self.multiplier = multiplier
  }
}

/// An object whose change the server reverted (protocol §8).
public struct RejectedUpdate: Hashable, Sendable {
  public var className: String
  public var key: PrimaryKey
  /// The reason, in wording that Realm's clients recognise.
  public var reason: String
  /// The reason with everything that the server discloses about it, for the developer. An addition to the protocol by
  /// FlexSync.
  public var detail: String?

  /// - Parameter detail: Omitted if it adds nothing to the reason.
  public init(className: String, key: PrimaryKey, reason: String, detail: String? = nil) {
    self.className = className
    self.key = key
    self.reason = reason
    self.detail = detail == reason ? nil : detail
  }

  /// The text for the developer.
  public var text: String { detail ?? reason }
}

/// The JSON object of a JSON_ERROR from the server (protocol §2.4.7).
public struct ErrorInfo: Hashable, Sendable {
  /// A text for the developer.
  public var message: String
  /// Whether the client may resume on its own.
  public var tryAgain: Bool
  public var shouldClientReset: Bool
  public var isRecoveryModeDisabled: Bool
  /// The location of the server's log; may be empty.
  public var logURL: String
  public var action: ErrorAction
  public var backoff: BackoffParameters?
  /// The client version of the upload that `rejectedUpdates` refers to.
  public var rejectedClientVersion: ClientVersion?
  public var rejectedUpdates: [RejectedUpdate]
  /// The version in the stream that reverts the rejected updates; for compensating writes only.
  public var compensatingWriteServerVersion: ServerVersion?
  /// For a migration to Flexible Sync only.
  public var partitionQuery: String?
  /// For a change of the schema version only.
  public var previousSchemaVersion: UInt64?

  /// Creates the payload. The flags that older clients read are derived from `action`.
  public init(message: String, action: ErrorAction, tryAgain: Bool, backoff: BackoffParameters? = nil) {
    self.message = message
    self.tryAgain = tryAgain
    self.action = action
    self.backoff = backoff
    shouldClientReset = action == .clientReset || action == .clientResetNoRecovery
    isRecoveryModeDisabled = action == .clientResetNoRecovery
    logURL = ""
    rejectedUpdates = []
  }

  /// Returns the payload of an error 231: the changes of one upload entry that the server reverted in one version.
  public static func compensatingWrite(
    message: String,
    rejectedClientVersion: ClientVersion,
    serverVersion: ServerVersion,
    rejectedUpdates: [RejectedUpdate]
  ) -> ErrorInfo {
    var info = ErrorInfo(message: message, action: .warning, tryAgain: true)
    info.rejectedClientVersion = rejectedClientVersion
    info.compensatingWriteServerVersion = serverVersion
    info.rejectedUpdates = rejectedUpdates
    return info
  }
}

// MARK: Writing

extension ErrorInfo {
  func encode() -> [UInt8] {
    var members: [JSON.Member] = [
      JSON.Member("message", .string(message)), JSON.Member("tryAgain", .bool(tryAgain)),
      JSON.Member("shouldClientReset", .bool(shouldClientReset)),
      JSON.Member("isRecoveryModeDisabled", .bool(isRecoveryModeDisabled)),
      JSON.Member("logURL", .string(logURL)), JSON.Member("action", .string(action.rawValue)),
    ]
    func append(_ name: String, _ number: UInt64?) {
      guard let number else { return }
      members.append(JSON.Member(name, .integer(Int64(clamping: number))))
    }
    append("backoffIntervalSec", backoff?.initialSeconds)
    append("backoffMaxDelaySec", backoff?.maximumSeconds)
    append("backoffMultiplier", backoff?.multiplier)
    append("compensatingWriteServerVersion", compensatingWriteServerVersion)
    append("rejectedClientVersion", rejectedClientVersion)
    if !rejectedUpdates.isEmpty {
      members.append(JSON.Member("rejectedUpdates", .array(rejectedUpdates.map(\.json))))
    }
    if let partitionQuery { members.append(JSON.Member("partitionQuery", .string(partitionQuery))) }
    append("previousSchemaVersion", previousSchemaVersion)
    return Array(JSON.object(members).serialized.utf8)
  }
}

extension RejectedUpdate {
  /// The member of `rejectedUpdates`.
  public var json: JSON {
    var members = [
      JSON.Member("table", .string(className)), JSON.Member("pk", .string(RejectedKey.encode(key))),
      JSON.Member("reason", .string(reason)),
    ]
    if let detail { members.append(JSON.Member("detail", .string(detail))) }
    return .object(members)
  }
}

// MARK: Reading

extension ErrorInfo {
  /// Parses the payload of an error with the given code. Unknown keys are ignored.
  init(_ text: ArraySlice<UInt8>, code: ErrorCode) throws(ProtocolError) {
    guard let json = try? JSON.parse(text), json.objectValue != nil else {
      throw bad("it is not a JSON object")
    }
    message = try json.text("message")
    tryAgain = try json.flag("tryAgain")
    shouldClientReset = try json.flag("shouldClientReset")
    isRecoveryModeDisabled = try json.flag("isRecoveryModeDisabled")
    logURL = try json.text("logURL")
    action = ErrorAction(name: try json.text("action"))
    rejectedClientVersion = try json.optionalNumber("rejectedClientVersion")
    compensatingWriteServerVersion = try json.optionalNumber("compensatingWriteServerVersion")
    previousSchemaVersion = try json.optionalNumber("previousSchemaVersion")
    partitionQuery = try json["partitionQuery"].map { _ throws(ProtocolError) in
      try json.text("partitionQuery")
    }
    rejectedUpdates = try json.rejectedUpdates()
    backoff = try json.backoff()
    try check(code: code)
  }

  /// Checks the keys that depend on the code or on each other.
  private func check(code: ErrorCode) throws(ProtocolError) {
    if !rejectedUpdates.isEmpty && rejectedClientVersion == nil {
      throw bad("rejectedClientVersion is missing")
    }
    if code == .compensatingWrite && compensatingWriteServerVersion == nil {
      throw bad("compensatingWriteServerVersion is missing")
    }
    if code == .writeNotAllowed && compensatingWriteServerVersion != nil {
      throw bad("compensatingWriteServerVersion does not belong to error \(code)")
    }
    if code == .migrateToFlexibleSync && partitionQuery == nil { throw bad("partitionQuery is missing") }
    if code == .schemaVersionChanged && previousSchemaVersion == nil {
      throw bad("previousSchemaVersion is missing")
    }
  }
}

extension RejectedUpdate {
  /// Parses a member of `rejectedUpdates`.
  public init(_ json: JSON) throws(ProtocolError) {
    self.init(
      className: try json.text("table"),
      key: try RejectedKey.decode(try json.text("pk")),
      reason: try json.text("reason"),
      detail: json["detail"]?.stringValue
    )
  }
}

extension JSON {
  fileprivate func text(_ name: String) throws(ProtocolError) -> String {
    guard let text = self[name]?.stringValue else { throw bad("\(name) must be a string") }
    return text
  }

  fileprivate func flag(_ name: String) throws(ProtocolError) -> Bool {
    guard let flag = self[name]?.boolValue else { throw bad("\(name) must be true or false") }
    return flag
  }

  fileprivate func number(_ name: String) throws(ProtocolError) -> UInt64 {
    guard let number = self[name]?.integerValue.flatMap(UInt64.init(exactly:)) else {
      throw bad("\(name) must be a non-negative integer")
    }
    return number
  }

  fileprivate func optionalNumber(_ name: String) throws(ProtocolError) -> UInt64? {
    self[name] == nil ? nil : try number(name)
  }

  fileprivate func backoff() throws(ProtocolError) -> BackoffParameters? {
    let names = ["backoffIntervalSec", "backoffMaxDelaySec", "backoffMultiplier"]
    guard names.contains(where: { self[$0] != nil }) else { return nil }
    return BackoffParameters(
      initialSeconds: try number(names[0]),
      maximumSeconds: try number(names[1]),
      multiplier: try number(names[2])
    )
  }

  fileprivate func rejectedUpdates() throws(ProtocolError) -> [RejectedUpdate] {
    guard let list = self["rejectedUpdates"] else { return [] }
    guard let elements = list.arrayValue else { throw bad("rejectedUpdates must be an array") }
    return try elements.map { element throws(ProtocolError) in try RejectedUpdate(element) }
  }
}

private func bad(_ reason: String) -> ProtocolError { ProtocolError(.badSyntax, "bad json_error: \(reason)") }
