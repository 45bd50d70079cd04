// SPDX-License-Identifier: Apache-2.0

/// A property of an object that may differ between two peers after a merge, although both follow the rules.
///
/// The peer that keeps the authoritative state repairs it by sending the complete property (Docs/Merge.md).
public struct MergeDoubt: Hashable, Sendable {
  /// The combination of changes that caused the doubt.
  public enum Reason: String, Hashable, Sendable {
    /// One side turned the place into a list or dictionary without clearing it, after the other had written something
    /// else. If the place already held such a collection, only one side keeps its elements.
    case keptCollection = "kept-collection"
    /// One side created an embedded object and the other wrote inside an existing one. Under a dictionary key, the
    /// creation replaces the existing object, so only one side keeps the write. Elsewhere there is no doubt.
    case embeddedEntry = "embedded-entry"
    /// One side inserted and the other erased the same number, in a set of mixed perhaps once as an integer and once
    /// as a fraction. The set keeps the form that was inserted first.
    case numberInSet = "number-in-set"
    /// The reference's rule for this case does not converge, and this merge uses a different one. A peer that follows
    /// the reference ends up in a different state.
    case deviation = "deviation"
  }

  public let object: ObjectReference
  /// The name of the property.
  public let field: String
  public let reason: Reason
}
