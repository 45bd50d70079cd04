// SPDX-License-Identifier: Apache-2.0

/// Operational transformation of concurrent changesets (protocol §7).
public enum Merge {
  /// Rewrites two lists of changesets that start from the same state. Applying `local` and then the new `incoming`
  /// leads to the same state as applying `incoming` and then the new `local`.
  ///
  /// The result does not depend on which side is called local. Changesets keep their position and stamp; if a merge
  /// discards all instructions of a changeset, the changeset remains without instructions. If the merge fails, both
  /// sides are left unchanged.
  ///
  /// - Parameters:
  ///   - local: The changesets that were applied here without the other side knowing them. Their stamps must carry
  ///     real file idents.
  ///   - incoming: The changesets that the other side applied without this side knowing them.
  /// - Returns: The changesets that were altered, for callers that store their transformed form, and the places where
  ///   the two sides may now differ.
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

/// The result of a merge.
public struct MergeOutcome: Hashable, Sendable {
  /// The offsets of the local changesets that the merge rewrote, ascending.
  public var local: [Int] = []
  /// The offsets of the incoming changesets that the merge rewrote, ascending.
  public var incoming: [Int] = []
  /// The places where the two sides may now differ, each listed once. The order does not depend on which side is
  /// local.
  public var doubts: [MergeDoubt] = []
}
