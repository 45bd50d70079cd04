// SPDX-License-Identifier: Apache-2.0

extension CoreError {
  static func invalidArgument(_ message: String) -> CoreError {
    CoreError(.invalidArgument, message)
  }

  static func unsupported(_ message: String) -> CoreError {
    CoreError(.unsupported, message)
  }

  /// - Parameter mayBeCount: whether the index after the last element would do.
  static func indexOutOfBounds(_ index: Int, count: Int, mayBeCount: Bool = false) -> CoreError {
    // C counts with unsigned numbers.
    CoreError(
      .indexOutOfBounds,
      "Index \(UInt(bitPattern: index)) is out of bounds (must be less than \(mayBeCount ? count + 1 : count))."
    )
  }
}
