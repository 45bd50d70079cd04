// SPDX-License-Identifier: Apache-2.0

/// Why the server cannot start or go on, for the person who runs it.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
