// SPDX-License-Identifier: Apache-2.0

/// Bytes that are not a changeset.
public struct ChangesetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong at that place.
  public let message: String
  /// The offset of the offending byte or field from the beginning of the changeset.
  public let position: Int

  public init(message: String, position: Int) {
    self.message = message
    self.position = position
  }

  public var description: String { "not a changeset: \(message) (byte \(position))" }
}
