// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncQuery

extension CoreError {
  /// The public form of an error of one of the rooms below.
  ///
  /// Every error type that can reach the C interface has a case here; another one is a defect of FlexSync.
  init(_ error: any Error) {
    switch error {
    case let error as CoreError: self = error
    case let error as QueryError: self.init(query: error)
    default: self.init(.FLX_STATUS_INTERNAL, "An unexpected error occurred; please report it: \(error).")
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
