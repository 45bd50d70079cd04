// SPDX-License-Identifier: Apache-2.0

/// A message that violates the protocol.
public struct ProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code that a server answers. Never a code that aborts Realm's client.
  public let code: ErrorCode
  /// A description of the violation for a developer.
  public let message: String

  public init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(message) (error \(code))" }
}
