// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncQuery
import FlexSyncScheduling
import FlexSyncStore

extension CoreError {
  /// Creates the error that callers of the C interface see for an error of any module.
  ///
  /// Every error type that can get here has a case; any other is a bug in FlexSync.
  init(mapping error: any Error) {
    switch error {
    case let error as CoreError: self = error
    case let error as QueryError: self.init(query: error)
    case let error as StorageError: self.init(storage: error)
    case let error as ObjectError: self.init(.status(of: error.reason), "\(error)")
    case let error as ResubmissionError: self.init(resubmission: error)
    case let error as TransportError:
      self.init(ServiceAnswer.status(of: error), error.description)
    default: self.init(.FLX_STATUS_INTERNAL, "unexpected error, please report it: \(error)")
    }
  }

  private init(query error: QueryError) {
    let status: flx_status_t =
      switch error.kind {
      case .syntax, .limit: .FLX_STATUS_QUERY_SYNTAX
      case .query, .sort, .operation: .FLX_STATUS_QUERY_INVALID
      case .argument: .FLX_STATUS_QUERY_ARGUMENT
      case .unsupported: .FLX_STATUS_UNSUPPORTED
      }
    self.init(status, error.message)
  }
}

extension CoreError {
  private init(storage error: StorageError) {
    let status: flx_status_t =
      switch error.kind {
      case .directoryMissing, .cannotOpen, .inputOutput, .outOfMemory: .FLX_STATUS_IO
      case .permissionDenied, .readOnly: .FLX_STATUS_PERMISSION_DENIED
      case .notADatabase, .foreignFile: .FLX_STATUS_NOT_A_DATABASE
      case .newerFormat, .incompatibleFile: .FLX_STATUS_INCOMPATIBLE_FILE
      case .corrupt: .FLX_STATUS_CORRUPT
      case .diskFull: .FLX_STATUS_DISK_FULL
      case .busy: .FLX_STATUS_BUSY
      case .syncAgentActive: .FLX_STATUS_MULTIPLE_SYNC_AGENTS
      case .tooLarge: .FLX_STATUS_VALUE_TOO_LARGE
      case .unsupportedSchema: .FLX_STATUS_UNSUPPORTED
      case .schemaConflict: .FLX_STATUS_SCHEMA_MISMATCH
      case .misuse, .statement, .interrupted: .FLX_STATUS_INTERNAL
      }
    self.init(status, error.message, code: error.resultCode)
  }
}

extension flx_status_t {
  /// The status for a refused operation on an object.
  fileprivate static func status(of reason: ObjectError.Reason) -> flx_status_t {
    switch reason {
    case .unknownClass: .FLX_STATUS_NO_SUCH_CLASS
    case .unknownProperty: .FLX_STATUS_NO_SUCH_PROPERTY
    case .schemaConflict: .FLX_STATUS_SCHEMA_MISMATCH
    case .unsupported: .FLX_STATUS_UNSUPPORTED
    case .wrongKeyType, .wrongType, .wrongLinkTarget, .wrongPath: .FLX_STATUS_TYPE_MISMATCH
    case .missingObject, .missingPlace: .FLX_STATUS_OBJECT_INVALIDATED
    case .notNullable: .FLX_STATUS_NULL_NOT_ALLOWED
    case .indexOutOfRange: .FLX_STATUS_INDEX_OUT_OF_BOUNDS
    case .wrongPriorSize: .FLX_STATUS_INTERNAL
    case .primaryKeyIsConstant, .nestedTooDeeply, .embeddedClass: .FLX_STATUS_INVALID_ARGUMENT
    }
  }
}
