// SPDX-License-Identifier: Apache-2.0

extension CoreError {
  static func invalidArgument(_ message: String) -> CoreError {
    CoreError(.invalidArgument, message)
  }

  static func unsupported(_ message: String) -> CoreError {
    CoreError(.unsupported, message)
  }

  static func indexOutOfBounds(_ index: Int, count: Int) -> CoreError {
    // C counts with unsigned numbers.
    CoreError(
      .indexOutOfBounds,
      "Index \(UInt(bitPattern: index)) is out of bounds (must be less than \(count))."
    )
  }
}
