// SPDX-License-Identifier: Apache-2.0

/// An error thrown if two sides cannot be merged. The entire integration fails (protocol §7.4).
public struct MergeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The subject of the disagreement.
  public enum Reason: String, Hashable, Sendable {
    /// One side declares a primary key or an embedded class and the other does not.
    case primaryKeyPresence = "no-key-on-one-side"
    case primaryKeyName = "key-name"
    case primaryKeyType = "key-type"
    case primaryKeyNullability = "key-nullability"
    case asymmetry = "asymmetric"
    case columnType = "column-type"
    case columnNullability = "column-nullability"
    case columnCollection = "collection"
    case columnLinkTarget = "link-target"
    case columnKeyType = "dictionary-key-type"
    /// The sides disagree about the length of a list before an instruction, or an index exceeds it.
    case listSize = "list-size"
    /// One side updates a list element and the other updates a property at the same path.
    case updateKind = "update-kind"
  }

  public let reason: Reason
  public let description: String

  init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }
}
