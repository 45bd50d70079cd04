// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncQuery
import FlexSyncTransport

extension CoreError {
  /// The error that callers of the C interface see for an error of any room.
  ///
  /// Every error type that can get here has a case; another one is a defect of FlexSync.
  init(mapping error: any Error) {
    switch error {
    case let error as CoreError: self = error
    case let error as QueryError: self.init(query: error)
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
