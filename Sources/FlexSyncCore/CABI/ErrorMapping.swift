// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension CoreError {
  /// The error that callers of the C interface see for an error of any room.
  init(mapping error: any Error) {
    switch error {
    case let error as CoreError: self = error
    default: self.init(.FLX_STATUS_INTERNAL, "unexpected error, please report it: \(error)")
    }
  }
}
