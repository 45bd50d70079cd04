// SPDX-License-Identifier: Apache-2.0

/// An error thrown for bytes that are not a changeset.
public struct ChangesetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the problem at that position.
  public let message: String
  /// The offset of the offending byte or field from the beginning of the changeset.
  public let position: Int
  /// Whether the only problem is that there are more instructions than the caller wanted.
  public var hasTooManyInstructions = false

  public var description: String { "not a changeset: \(message) (byte \(position))" }
}
