// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncVectors

/// Two sides that change one state, are merged, and should then be equal.
struct MergeTrial {
  /// How the stamps of the sides compare.
  enum Order: CaseIterable {
    case leftIsEarlier, leftIsLater
    /// The file idents decide.
    case sameTime
  }

  let left: [Changeset]
  let right: [Changeset]

  init(_ left: [[Instruction]], _ right: [[Instruction]], _ order: Order) {
    self.left = Self.changesets(left, file: 2, time: order == .leftIsLater ? 1000 : 1)
    self.right = Self.changesets(right, file: 3, time: order == .leftIsEarlier ? 1000 : 1)
  }

  static func changesets(_ lists: [[Instruction]], file: UInt64, time: UInt64) -> [Changeset] {
    lists.enumerated().map { offset, instructions in
      Changeset(
        stamp: OriginStamp(timestamp: time + UInt64(offset) * 10, fileIdent: file),
        instructions: instructions
      )
    }
  }

  /// Both sides after the merge.
  struct Ends {
    var left: [Changeset]
    var right: [Changeset]
    var doubts: [MergeDoubt]
  }

  /// Merges, and checks that it does not matter which side is called local.
  func merge() throws -> Ends {
    var (newLeft, newRight) = (left, right)
    let outcome = try Merge.transform(local: &newLeft, incoming: &newRight)
    var (mirroredLeft, mirroredRight) = (left, right)
    let mirrored = try Merge.transform(local: &mirroredRight, incoming: &mirroredLeft)
    guard newLeft == mirroredLeft, newRight == mirroredRight, outcome.doubts == mirrored.doubts else {
      throw Problem(description: "the roles of the sides matter")
    }
    return Ends(left: newLeft, right: newRight, doubts: outcome.doubts)
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// How the sides end.
  enum Result {
    case same
    /// They differ, or one cannot apply what comes from the other, and the merge says where that can be.
    case doubtful(Set<MergeDoubt.Reason>)
    case wrong(String)
  }

  func run(on base: ObjectModel) -> Result {
    do {
      let ends = try merge()
      guard let problem = problem(ends, base) else { return .same }
      let reasons = Set(ends.doubts.map(\.reason))
      return reasons.isEmpty ? .wrong(problem) : .doubtful(reasons)
    } catch {
      return .wrong("\(error)")
    }
  }

  private func problem(_ ends: Ends, _ base: ObjectModel) -> String? {
    do {
      var leftFirst = base
      try leftFirst.apply((left + ends.right).flatMap(\.instructions))
      var rightFirst = base
      try rightFirst.apply((right + ends.left).flatMap(\.instructions))
      return rightFirst.state.difference(from: leftFirst.state)
    } catch {
      return "\(error)"
    }
  }
}
