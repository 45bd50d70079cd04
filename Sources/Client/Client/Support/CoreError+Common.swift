// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension CoreError {
  static func invalidArgument(_ message: String) -> CoreError {
    CoreError(.FLX_STATUS_INVALID_ARGUMENT, message)
  }

  static func unsupported(_ message: String) -> CoreError {
    CoreError(.FLX_STATUS_UNSUPPORTED, message)
  }

  static func indexOutOfBounds(_ index: Int, count: Int) -> CoreError {
    // C counts with unsigned numbers.
    CoreError(
      .FLX_STATUS_INDEX_OUT_OF_BOUNDS,
      "Index \(UInt(bitPattern: index)) is out of bounds (must be less than \(count))."
    )
  }
}
