// SPDX-License-Identifier: Apache-2.0

/// What a client is to do about an error (protocol §3.5, "Actions").
public enum ErrorAction: String, Hashable, Sendable, CaseIterable {
  /// Suspend the session and bind it again after a delay; nothing is shown to the app.
  case transient = "Transient"
  /// Tell the app. Whether the session goes on depends on the code.
  case warning = "Warning"
  case applicationBug = "ApplicationBug"
  case protocolViolation = "ProtocolViolation"
  case clientReset = "ClientReset"
  /// Like `clientReset`, but changes that were not uploaded must not be recovered.
  case clientResetNoRecovery = "ClientResetNoRecovery"
  case deleteRealm = "DeleteRealm"
  case migrateToFlexibleSync = "MigrateToFLX"
  case revertToPartitionSync = "RevertToPBS"
  case migrateSchema = "MigrateSchema"
  case refreshUser = "RefreshUser"
  case refreshLocation = "RefreshLocation"
  case logOutUser = "LogOutUser"

  /// The action of that name; a name that is not known means `applicationBug`.
  public init(name: String) { self = ErrorAction(rawValue: name) ?? .applicationBug }
}
