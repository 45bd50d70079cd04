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
  /// - Returns: which changesets were altered, for whoever stores their transformed form.
  /// - Throws: `MergeError` if the sides declare different schemas or disagree about the length of a list.
  @discardableResult
  public static func transform(
    local: inout [Changeset],
    incoming: inout [Changeset]
  ) throws(MergeError) -> AlteredChangesets {
    if isEmpty(local) || isEmpty(incoming) { return AlteredChangesets(local: [], incoming: []) }
    var merger = Merger(incoming)
    var altered = AlteredChangesets(local: [], incoming: [])
    var newLocal = local
    for offset in local.indices {
      guard let instructions = try merger.transform(local[offset]) else { continue }
      newLocal[offset].instructions = instructions
      altered.local.append(offset)
    }
    local = newLocal
    altered.incoming = merger.index.rewrite(&incoming)
    return altered
  }

  private static func isEmpty(_ changesets: [Changeset]) -> Bool {
    changesets.allSatisfy(\.instructions.isEmpty)
  }
}

/// The offsets of changesets that a merge rewrote, ascending.
public struct AlteredChangesets: Hashable, Sendable {
  public var local: [Int]
  public var incoming: [Int]

  public init(local: [Int], incoming: [Int]) {
    self.local = local
    self.incoming = incoming
  }
}
