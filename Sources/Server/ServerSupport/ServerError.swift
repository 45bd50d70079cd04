// SPDX-License-Identifier: Apache-2.0

/// The reason why the server cannot start or continue, written for its operator.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
