// SPDX-License-Identifier: Apache-2.0

/// A vector file that cannot be read, or a row that does not have the documented form.
public struct VectorError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
