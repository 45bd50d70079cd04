// SPDX-License-Identifier: Apache-2.0

/// A message that breaks the protocol.
public struct ProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a server answers to it. Never a code that aborts Realm's client.
  public let code: ErrorCode
  /// What is wrong, for a developer.
  public let message: String

  public init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(message) (error \(code))" }
}
