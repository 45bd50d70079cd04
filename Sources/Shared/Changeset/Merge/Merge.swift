// SPDX-License-Identifier: Apache-2.0

/// Operational transformation of concurrent changesets (protocol §7).
public enum Merge {
  /// Rewrites two lists of changesets that start from one state, so that
  /// `local` and then the new `incoming` lead where `incoming` and then the new `local` lead.
  ///
  /// The result does not depend on which side is called local. Changesets keep their place and stamp; one of which
  /// nothing is left has no instructions. If the merge fails, both sides stay as they were.
  ///
  /// - Parameters:
  ///   - local: what was applied here and the other side did not know. Its stamps must carry real file idents.
  ///   - incoming: what the other side applied and was not known here.
  /// - Returns: which changesets were altered, for whoever stores their transformed form, and where the sides may now
  ///   differ.
  /// - Throws: `MergeError` if the sides declare different schemas or disagree about the length of a list.
  @discardableResult
  public static func transform(
    local: inout [Changeset],
    incoming: inout [Changeset]
  ) throws(MergeError) -> MergeOutcome {
    if isEmpty(local) || isEmpty(incoming) { return MergeOutcome() }
    var merger = Merger(incoming)
    var outcome = MergeOutcome()
    var newLocal = local
    for offset in local.indices {
      guard let instructions = try merger.transform(local[offset]) else { continue }
      newLocal[offset].instructions = instructions
      outcome.local.append(offset)
    }
    local = newLocal
    outcome.incoming = merger.index.rewrite(&incoming)
    outcome.doubts = merger.allDoubts
    return outcome
  }

  private static func isEmpty(_ changesets: [Changeset]) -> Bool {
    changesets.allSatisfy(\.instructions.isEmpty)
  }
}

/// What a merge did.
public struct MergeOutcome: Hashable, Sendable {
  /// The offsets of local changesets that it rewrote, ascending.
  public var local: [Int]
  /// The offsets of incoming changesets that it rewrote, ascending.
  public var incoming: [Int]
  /// The places that may now differ between the sides, each once. The order does not depend on the roles of the sides.
  public var doubts: [MergeDoubt]

  public init(local: [Int] = [], incoming: [Int] = [], doubts: [MergeDoubt] = []) {
    self.local = local
    self.incoming = incoming
    self.doubts = doubts
  }
}
