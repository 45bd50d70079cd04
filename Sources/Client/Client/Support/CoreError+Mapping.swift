// SPDX-License-Identifier: Apache-2.0

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
    case let error as ObjectError: self.init(.status(of: error.reason), error.sentence)
    case let error as ResubmissionError: self.init(resubmission: error)
    case let error as TransportError:
      self.init(ServiceAnswer.status(of: error), error.description)
    default: self.init(.internal, "unexpected error, please report it: \(error)")
    }
  }

  private init(query error: QueryError) {
    let status: Status =
      switch error.kind {
      case .syntax, .limit: .querySyntax
      case .query, .sort, .operation: .queryInvalid
      case .argument: .queryArgument
      case .unsupported: .unsupported
      }
    self.init(status, error.message)
  }
}

extension CoreError {
  private init(storage error: StorageError) {
    let status: Status =
      switch error.kind {
      case .directoryMissing, .cannotOpen, .inputOutput, .outOfMemory: .io
      case .permissionDenied, .readOnly: .permissionDenied
      case .notADatabase, .foreignFile: .notADatabase
      case .newerFormat, .incompatibleFile: .incompatibleFile
      case .corrupt: .corrupt
      case .diskFull: .diskFull
      case .busy: .busy
      case .syncAgentActive: .multipleSyncAgents
      case .tooLarge: .valueTooLarge
      case .unsupportedSchema: .unsupported
      case .schemaConflict: .schemaMismatch
      case .misuse, .statement, .interrupted: .internal
      }
    self.init(status, error.message, code: error.resultCode)
  }
}

extension ObjectError {
  /// The reason as a message of its own. The server puts it into longer ones.
  fileprivate var sentence: String { "\(description.prefix(1).uppercased())\(description.dropFirst())." }
}

extension Status {
  /// The status for a refused operation on an object.
  fileprivate static func status(of reason: ObjectError.Reason) -> Status {
    switch reason {
    case .unknownClass: .noSuchClass
    case .unknownProperty: .noSuchProperty
    case .schemaConflict: .schemaMismatch
    case .unsupported: .unsupported
    case .wrongKeyType, .wrongType, .wrongLinkTarget, .wrongPath: .typeMismatch
    case .missingObject, .missingPlace: .objectInvalidated
    case .notNullable: .nullNotAllowed
    case .indexOutOfRange: .indexOutOfBounds
    case .wrongPriorSize: .internal
    case .primaryKeyIsConstant, .nestedTooDeeply, .embeddedClass: .invalidArgument
    }
  }
}
