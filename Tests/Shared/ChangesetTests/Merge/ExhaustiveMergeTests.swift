// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncTestSupport
import FlexSyncVectors
import Testing

/// Everything that two peers can do to one object at the same time. Where they can end different although both follow
/// the rules, the merge has to say so.
@Suite("Merge of everything that two peers can do to an object")
struct ExhaustiveMergeTests {
  /// What the rules of the protocol leave open, and why (Docs/Merge.md):
  ///
  /// - Making a list or dictionary of what is one already keeps its elements; an instruction does not tell whether
  ///   that was so where it was made.
  /// - Creating an embedded object under a key of a dictionary replaces the one there, elsewhere it keeps it; a path
  ///   does not tell where it leads.
  /// - A set of mixed keeps 1 or 1.0, whichever came first.
  private static let protocolGaps: Set<MergeDoubt.Reason> = [.keptCollection, .embeddedEntry, .numberInSet]

  @Test("all pairs of instructions lead to one state", arguments: PropertyBase.all)
  func pairs(base: PropertyBase) throws {
    var model = ObjectModel()
    try model.apply(base.instructions)
    let instructions = base.possibleInstructions(on: model)
    var tally = Tally()
    for (offset, left) in instructions.enumerated() {
      for (otherOffset, right) in instructions.enumerated().dropFirst(offset) {
        tally.run([[left]], [[right]], .leftIsEarlier, on: model)
        tally.run([[left]], [[right]], .leftIsLater, on: model)
        if otherOffset % 5 == 0 { tally.run([[left]], [[right]], .sameTime, on: model) }
      }
    }
    #expect(tally.problems.isEmpty, "\(tally.problems.count): \(tally.firstProblems)")
    #expect(tally.gaps.isSubset(of: Self.protocolGaps))
  }

  @Test("what apps write leads to one state, whatever the protocol leaves open", arguments: PropertyBase.all)
  func sequences(base: PropertyBase) throws {
    var model = ObjectModel()
    try model.apply(base.instructions)
    var tally = Tally()
    for seed in 0..<UInt64(Trials.count(50)) {
      var generator = SeededGenerator(seed: seed)
      let left = try base.sequence(of: 1 + Int(seed % 3), on: model, using: &generator)
      let right = try base.sequence(of: 1 + Int(seed % 2), on: model, using: &generator)
      let order = MergeTrial.Order.allCases.randomElement(using: &generator) ?? .sameTime
      tally.run(left, right, order, on: model)
    }
    #expect(tally.problems.isEmpty, "\(tally.problems.count): \(tally.firstProblems)")
    #expect(tally.gaps.isSubset(of: [.numberInSet]))
  }
}

/// How many trials ended badly, and how.
private struct Tally {
  var problems: [String] = []
  var gaps: Set<MergeDoubt.Reason> = []

  var firstProblems: String { problems.prefix(3).joined(separator: "\n") }

  mutating func run(
    _ left: [[Instruction]],
    _ right: [[Instruction]],
    _ order: MergeTrial.Order,
    on base: ObjectModel
  ) {
    switch MergeTrial(left, right, order).run(on: base) {
    case .same: break
    case .doubtful(let reasons): gaps.formUnion(reasons)
    case .wrong(let problem): problems.append("\(left) | \(right), \(order): \(problem)")
    }
  }
}

extension PropertyBase {
  /// Transactions that can follow each other.
  func sequence(of count: Int, on base: ObjectModel, using generator: inout SeededGenerator) throws
    -> [[Instruction]]
  {
    var model = base
    return try (0..<count).compactMap { _ in
      guard let next = possibleInstructions(on: model).randomElement(using: &generator) else { return nil }
      try model.apply(next.asWritten)
      return next.asWritten
    }
  }
}

extension Instruction {
  /// With what FlexSync records beside it, so that the protocol leaves nothing open: the place of a collection or an
  /// embedded object is null before.
  var asWritten: [Instruction] {
    switch self {
    case .update(let path, .list, let detail), .update(let path, .dictionary, let detail):
      [.update(path, .value(.null), detail), self]
    case .update(let path, .object, .isDefault): [.update(path, .value(.null), .isDefault(false)), self]
    default: [self]
    }
  }
}
