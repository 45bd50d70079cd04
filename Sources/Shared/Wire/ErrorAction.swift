// SPDX-License-Identifier: Apache-2.0

/// The action that a client must take in response to an error (protocol §3.5, "Actions").
public enum ErrorAction: String, Hashable, Sendable, CaseIterable {
  /// Suspend the session and bind it again after a delay, without notifying the app.
  case transient = "Transient"
  /// Notify the app. Whether the session continues depends on the code.
  case warning = "Warning"
  case applicationBug = "ApplicationBug"
  case protocolViolation = "ProtocolViolation"
  case clientReset = "ClientReset"
  /// Like `clientReset`, but changes that have not been uploaded must not be recovered.
  case clientResetNoRecovery = "ClientResetNoRecovery"
  case deleteRealm = "DeleteRealm"
  case migrateToFlexibleSync = "MigrateToFLX"
  case revertToPartitionSync = "RevertToPBS"
  case migrateSchema = "MigrateSchema"
  case refreshUser = "RefreshUser"
  case refreshLocation = "RefreshLocation"
  case logOutUser = "LogOutUser"

  /// Creates the action with the given name; an unknown name means `applicationBug`.
  public init(name: String) { self = ErrorAction(rawValue: name) ?? .applicationBug }
}
