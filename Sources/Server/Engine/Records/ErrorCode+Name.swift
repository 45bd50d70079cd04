// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

extension ErrorCode {
  /// The name of the error in records: the name in App Services' logs where they document one, otherwise one derived
  /// from the name of the code (protocol §3.5).
  package var recordName: String { Self.recordNames[self] ?? "Error\(rawValue)" }

  private static let recordNames: [ErrorCode: String] = [
    .connectionClosed: "ErrorConnectionClosed",
    .otherError: "ErrorOtherError",
    .unknownMessage: "ErrorUnknownMessage",
    .badSyntax: "ErrorBadSyntax",
    .limitsExceeded: "LimitsExceeded",
    .wrongProtocolVersion: "ErrorWrongProtocolVersion",
    .badSessionIdent: "ErrorBadSessionIdent",
    .reuseOfSessionIdent: "ErrorReuseOfSessionIdent",
    .boundInOtherSession: "ErrorBoundInOtherSession",
    .badMessageOrder: "ErrorBadMessageOrder",
    .badDecompression: "ErrorBadDecompression",
    .badChangesetHeader: "ErrorBadChangesetHeaderSyntax",
    .badChangesetSize: "ErrorBadChangesetSize",
    .switchToFlexibleSync: "ErrorSwitchToFLXSync",
    .switchToPartitionSync: "ErrorSwitchToPBS",
    .sessionClosed: "ErrorSessionClosed",
    .otherSessionError: "ErrorOtherSessionError",
    .tokenExpired: "ErrorTokenExpired",
    .badAuthentication: "ErrorBadAuthentication",
    .illegalRealmPath: "ErrorIllegalRealmPath",
    .noSuchRealm: "ErrorNoSuchRealm",
    .permissionDenied: "ErrorPermissionDenied",
    .badServerFileIdent: "ErrorBadServerFileIdent",
    .badClientFileIdent: "ErrorBadClientFileIdent",
    .badServerVersion: "ErrorBadServerVersion",
    .badClientVersion: "ErrorBadClientVersion",
    .divergingHistories: "ErrorDivergingHistories",
    .badChangeset: "ErrorBadChangeset",
    .partialSyncDisabled: "ErrorPartialSyncDisabled",
    .unsupportedFeature: "ErrorUnsupportedSessionFeature",
    .badOriginFileIdent: "ErrorBadOriginFileIdent",
    .badClientFile: "ErrorBadClientFile",
    .serverFileDeleted: "ErrorServerFileDeleted",
    .clientFileBlacklisted: "ErrorClientFileBlacklisted",
    .userBlacklisted: "ErrorUserBlacklisted",
    .transactBeforeUpload: "ErrorTransactBeforeUpload",
    .clientFileExpired: "ErrorClientFileExpired",
    .userMismatch: "ErrorClientFileUserMismatch",
    .tooManySessions: "ErrorTooManySessions",
    .invalidSchemaChange: "ErrorInvalidSchemaChange",
    .badQuery: "ErrorBadQuery",
    .objectAlreadyExists: "ErrorObjectAlreadyExists",
    .serverPermissionsChanged: "ErrorServerPermissionsChanged",
    .initialSyncNotCompleted: "ErrorInitialSyncNotCompleted",
    .writeNotAllowed: "ErrorWriteNotAllowed",
    .compensatingWrite: "ErrorCompensatingWrite",
    .migrateToFlexibleSync: "ErrorMigrateToFLX",
    .badProgress: "ErrorBadProgress",
    .revertToPartitionSync: "ErrorRevertToPBS",
    .badSchemaVersion: "ErrorBadSchemaVersion",
    .schemaVersionChanged: "ErrorSchemaVersionChanged",
  ]
}
