// SPDX-License-Identifier: Apache-2.0

import FlexSyncMatcher
import FlexSyncModel
import FlexSyncQuery
import Testing

import class Foundation.ProcessInfo

/// The index of predicates against the evaluator. FLEXSYNC_CASES sets how many answers are compared.
@Suite struct MatcherPropertyTests {
  private static let caseCount =
    ProcessInfo.processInfo.environment["FLEXSYNC_CASES"].flatMap { Int($0) } ?? 120_000

  @Test(arguments: 0..<10)
  func indexAndEvaluatorAgreeWhilePredicatesComeAndGo(part: Int) {
    var count = 0
    var seed = UInt64(part) << 32
    while count < Self.caseCount / 10 {
      seed += 1
      var run = MatcherRun(seed: seed)
      for _ in 0..<60 where run.mistake == nil { run.step() }
      count += run.caseCount
      #expect(run.mistake == nil, "seed \(seed)")
      guard run.mistake == nil else { return }
    }
  }
}

/// An index and the predicates that it should hold.
struct MatcherRun {
  private var generator: RandomPredicates
  private var index: PredicateIndex
  /// What each number stands for; predicates that always mean the same may share one.
  private var predicates: [PredicateID: [Predicate]] = [:]
  /// How many answers were compared.
  private(set) var caseCount = 0
  private(set) var mistake: String?

  init(seed: UInt64) {
    generator = RandomPredicates(seed: seed)
    index = PredicateIndex(seed: seed)
  }

  mutating func step() {
    switch Int.random(in: 0..<10, using: &generator.random) {
    case 0..<4: for _ in 0..<4 { add() }
    case 4: for _ in 0..<3 { remove() }
    default: for _ in 0..<2 { change() }
    }
  }

  private mutating func add() {
    let predicate = generator.predicate()
    predicates[index.add(predicate), default: []].append(predicate)
    let (count, expected) = (index.count, predicates.count)
    check(count == expected, "\(count) predicates instead of \(expected)")
  }

  private mutating func remove() {
    let ids = predicates.keys.sorted { $0.number < $1.number }
    guard !ids.isEmpty else { return }
    let id = generator.random.pick(ids)
    index.remove(id)
    predicates[id]?.removeLast()
    if predicates[id]?.isEmpty == true { predicates[id] = nil }
  }

  private mutating func change() {
    let before = generator.random.chance(15) ? nil : generator.object()
    let after = generator.random.chance(15) ? nil : before.map { generator.changed($0) } ?? generator.object()
    var found: [PredicateID: PredicateIndex.Match] = [:]
    var times = 0
    index.forEachMatch(before: before.map(image), after: after.map(image)) { id, match in
      found[id] = match
      times += 1
    }
    check(times == found.count, "a predicate was reported twice")
    for (id, predicate) in predicates.flatMap({ (id, all) in all.map { (id, $0) } }) {
      let wasMet = before.map(predicate.matches) ?? false
      let isMet = after.map(predicate.matches) ?? false
      let expected = wasMet || isMet ? PredicateIndex.Match(before: wasMet, after: isMet) : nil
      check(
        found[id] == expected,
        "\(predicate) on \(String(describing: before)) → \(String(describing: after)): "
          + "\(String(describing: found[id])) instead of \(String(describing: expected))"
      )
    }
    caseCount += predicates.count
    check(found.keys.allSatisfy { predicates[$0] != nil }, "a removed predicate was reported")
  }

  private func image(_ object: RowImage) -> SlotImage {
    SlotImage(
      index.slots.map { name in
        switch object.fields[name] {
        case .value(let value): .value(value)
        case .list(let elements): .elements(elements)
        case .dictionary(let entries): .entries(entries)
        case nil: .value(.null)
        }
      }
    )
  }

  private mutating func check(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition, mistake == nil { mistake = words() }
  }
}
