// SPDX-License-Identifier: Apache-2.0

/// A property of an object that two peers can hold differently after a merge, although both follow the rules.
///
/// Whoever keeps the authoritative state repairs it by sending the property whole (Docs/Merge.md).
public struct MergeDoubt: Hashable, Sendable {
  /// What the two sides did there.
  public enum Reason: String, Hashable, Sendable {
    /// One side made a list or dictionary of the place without clearing it, the other wrote something else, earlier.
    /// Where the place was such a collection already, its elements stay on one side only.
    case keptCollection = "kept-collection"
    /// One side created an embedded object and the other wrote inside of one. Under a key of a dictionary the creation
    /// replaces what is there, so that the write stays on one side only; elsewhere there is no doubt.
    case embeddedEntry = "embedded-entry"
    /// The sides inserted and erased one number, in a set of mixed perhaps as an integer and as a fraction. The set
    /// keeps the form that it had first.
    case numberInSet = "number-in-set"
    /// The reference has a rule here that does not converge, and this merge another: a peer that follows the
    /// reference ends up different.
    case deviation = "deviation"
  }

  public let object: ObjectReference
  /// The property.
  public let field: String
  public let reason: Reason

  public init(object: ObjectReference, field: String, reason: Reason) {
    self.object = object
    self.field = field
    self.reason = reason
  }
}
