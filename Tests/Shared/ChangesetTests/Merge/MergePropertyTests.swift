// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncVectors
import Testing

@testable import FlexSyncChangeset

@Suite("Merge properties")
struct MergePropertyTests {
  @Test("two transactions lead to one state, whichever comes first and whichever is later")
  func pairsConverge() throws {
    let base = try SmallState.model()
    var problems: [String] = []
    for (offset, left) in SmallState.transactions.enumerated() {
      for right in SmallState.transactions[offset...] {
        if let problem = Self.problem(base, [left], [right]) {
          problems.append("\(left) | \(right): \(problem)")
        }
      }
    }
    #expect(problems.isEmpty, "\(problems.count) pairs: \(problems.prefix(3).joined(separator: "\n"))")
  }

  @Test("longer histories lead to one state", arguments: 0..<300 as Range<UInt64>)
  func historiesConverge(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let base = try SmallState.model()
    let left = Self.history(on: base, using: &generator)
    let right = Self.history(on: base, using: &generator)
    let problem = Self.problem(base, left, right)
    #expect(problem == nil, "seed \(seed): \(left) | \(right)")
  }

  @Test(
    "instructions that make no sense are merged or refused, but never trap",
    arguments: 0..<300 as Range<UInt64>
  )
  func nonsense(seed: UInt64) {
    var random = RandomInstructions(seed: seed, isNarrow: true)
    let lists = (0..<4).map { _ in random.list(maximumCount: 8) }
    var local = MergeTrial.changesets(Array(lists[..<2]), file: 2, time: 1)
    var incoming = MergeTrial.changesets(Array(lists[2...]), file: 3, time: 5)
    let before = (local, incoming)
    do throws(MergeError) {
      try Merge.transform(local: &local, incoming: &incoming)
    } catch {
      #expect(local == before.0 && incoming == before.1)
    }
  }

  @Test("a merge names the changesets that it alters")
  func alteredChangesets() throws {
    let path = Place(object: SmallState.first).path("s")
    let kept = [Instruction.createObject(SmallState.second)]
    var local = MergeTrial.changesets(
      [kept, [.update(path, .value(.string("a")), .isDefault(false))]],
      file: 2,
      time: 1
    )
    var incoming = MergeTrial.changesets(
      [[.update(path, .value(.string("b")), .isDefault(false))], kept],
      file: 3,
      time: 20
    )
    let altered = try Merge.transform(local: &local, incoming: &incoming)
    #expect(altered == MergeOutcome(local: [1]))
    #expect(local.map(\.instructions) == [kept, []])
  }

  @Test("a merge that fails leaves both sides as they were")
  func failure() {
    func add(_ type: ValueType) -> Instruction {
      .addColumn(table: "Item", PropertySchema(name: "p", type: type), keyType: nil)
    }
    let path = Place(object: SmallState.first).path("s")
    let update = Instruction.update(path, .value(.string("a")), .isDefault(false))
    var local = MergeTrial.changesets([[update, add(.int)]], file: 2, time: 1)
    var incoming = MergeTrial.changesets([[update, add(.string)]], file: 3, time: 2)
    let before = (local, incoming)
    let error = #expect(throws: MergeError.self) { try Merge.transform(local: &local, incoming: &incoming) }
    #expect(error?.reason == .columnType)
    #expect(local == before.0 && incoming == before.1)
  }

  /// What is wrong with the merge of two histories, tried with either side being the later one. What they do leaves
  /// nothing open, so there must be no doubt that explains a difference.
  private static func problem(_ base: ObjectModel, _ left: [[Instruction]], _ right: [[Instruction]])
    -> String?
  {
    for order in [MergeTrial.Order.leftIsEarlier, .leftIsLater] {
      switch MergeTrial(left, right, order).run(on: base) {
      case .same: break
      case .doubtful(let reasons): return "\(order): \(reasons)"
      case .wrong(let problem): return "\(order): \(problem)"
      }
    }
    return nil
  }

  /// Transactions that can follow each other.
  private static func history(on base: ObjectModel, using generator: inout SeededGenerator) -> [[Instruction]]
  {
    var model = base
    var history: [[Instruction]] = []
    for _ in 0..<20 {
      let transaction = SmallState.transactions[
        Int.random(in: 0..<SmallState.transactions.count, using: &generator)
      ]
      var next = model
      guard transaction.allSatisfy({ model.countsRightly($0) }), (try? next.apply(transaction)) != nil
      else {
        continue
      }
      model = next
      history.append(transaction)
    }
    return history
  }
}
