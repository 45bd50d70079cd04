// SPDX-License-Identifier: Apache-2.0

/// Two sides that cannot be merged: the whole integration fails (protocol §7.4).
public struct MergeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the two sides disagree about.
  public enum Reason: String, Hashable, Sendable {
    /// One side declares a primary key, or an embedded class, and the other does not.
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
    /// The length of a list before an instruction, or an index beyond it.
    case listSize = "list-size"
    /// One side updates a list element and the other a property at the same path.
    case updateKind = "update-kind"
  }

  public let reason: Reason
  public let description: String

  init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }
}
