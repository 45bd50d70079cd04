// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncTestSupport
import Foundation
import Testing

/// Random queries on random objects. Each query gives one verdict for each object; together well over 100,000. The
/// environment variable FLEXSYNC_QUERY_ROUNDS asks for as many times more.
@Suite struct PropertyTests {
  private static let objectCount = 20
  private static let queriesPerSeed = 700
  private static let seeds: ClosedRange<UInt64> = {
    let rounds = ProcessInfo.processInfo.environment["FLEXSYNC_QUERY_ROUNDS"].flatMap(UInt64.init) ?? 1
    return 1...(8 * max(rounds, 1))
  }()

  @Test(arguments: seeds)
  func sqlAnswersLikeTheEvaluator(seed: UInt64) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: seed))
    let dataset = generator.dataset(size: Self.objectCount)
    let store = try StoredDataset(dataset)
    var comparison = AnswerComparison()
    for _ in 0..<Self.queriesPerSeed {
      comparison.compare(try generator.boundQuery(on: generator.random.pick(["A", "B"])), dataset, store)
    }
    #expect(comparison.wrong == [], "seed \(seed)")
    #expect(comparison.count == Self.queriesPerSeed, "not stored yet: \(store.missing)")
  }

  @Test(arguments: seeds)
  func objectsAreReadInTheOrderInWhichTheyAreFound(seed: UInt64) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: seed &+ 3_000_000))
    let store = try StoredDataset(generator.dataset(size: Self.objectCount))
    var count = 0
    for _ in 0..<Self.queriesPerSeed {
      let query = try generator.boundQuery(on: generator.random.pick(["A", "B"]))
      guard query.options.isPlain, let found = try store.rows(query) else { continue }
      #expect(try store.scannedRows(query) == found, "seed \(seed): \(query.canonicalText)")
      count += 1
    }
    #expect(count > Self.queriesPerSeed / 3, "seed \(seed)")
  }

  @Test(arguments: seeds)
  func sqlReadsStoredLinksLikeTheEvaluator(seed: UInt64) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: seed &+ 2_000_000))
    let dataset = generator.dataset(size: Self.objectCount)
    let store = try StoredDataset(dataset)
    for _ in 0..<Self.queriesPerSeed {
      let query = try generator.boundQuery(on: generator.random.pick(["A", "B"]))
      let rows = dataset.rows(of: query.className, danglingLinks: .asStored)
      let expected = rows.filter { query.predicate.matches($0) }.map(\.object.key)
      let found = try store.scan(query.predicate, on: query.className)
      #expect(found == expected, "seed \(seed): \(query.predicate.canonicalText)")
    }
  }

  @Test(arguments: seeds)
  func whatAConditionImpliesIsMetByEveryObjectThatMeetsIt(seed: UInt64) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: seed &+ 4_000_000))
    let dataset = generator.dataset(size: Self.objectCount)
    let objects = dataset.rows(of: "A")
    let parts = try (0..<6).map { _ in try generator.boundQuery(on: "A").predicate }
    var counts = (implied: 0, unknown: 0)
    for _ in 0..<Self.queriesPerSeed {
      let (left, right) = (generator.combination(of: parts), generator.combination(of: parts))
      guard left.implies(right) else {
        counts.unknown += 1
        continue
      }
      counts.implied += 1
      let exceptions = objects.filter { left.matches($0) && !right.matches($0) }
      #expect(exceptions.isEmpty, "seed \(seed): \(left.canonicalText) implies \(right.canonicalText)")
    }
    #expect(counts.implied > 50 && counts.unknown > 50, "\(counts)")
  }

  @Test(arguments: seeds)
  func canonicalTextReadsBackAsTheSameQuery(seed: UInt64) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: seed &+ 1_000_000))
    for _ in 0..<Self.queriesPerSeed {
      let query = try generator.boundQuery(on: "A")
      let canonical = query.canonicalText
      let again = try Query.parse(canonical).bind(to: RandomQueries.schema, className: "A")
      #expect(again == query, "seed \(seed): \(canonical)")
      #expect(again.canonicalText == canonical, "seed \(seed)")
    }
  }

  @Test func canonicalTextOfTheVectorsReadsBackAsTheSamePredicate() throws {
    let dataset = try VectorDataset.load()
    for row in try VectorFiles.rows(of: "rql.jsonl") {
      let className = row["class"]?.stringValue ?? ""
      let arguments = (row["args"]?.arrayValue ?? []).compactMap(VectorValues.value)
      guard
        let query = try? Query.parse(row["query"]?.stringValue ?? "").bind(
          to: dataset.schema,
          className: className,
          arguments: arguments.map { .value($0) }
        )
      else { continue }
      let again = try Query.parse(query.canonicalText).bind(to: dataset.schema, className: className)
      #expect(again == query, "\(query.canonicalText)")
    }
  }
}

extension RandomQueries {
  /// A condition of up to three levels over a few parts, so that two of them have something in common.
  fileprivate mutating func combination(of parts: [FlexSyncQuery.Predicate], depth: Int = 2)
    -> FlexSyncQuery.Predicate
  {
    guard depth > 0, random.chance(70) else { return random.pick(parts + [.always, .never]) }
    let conditions = (0..<random.pick([1, 2, 3])).map { _ in combination(of: parts, depth: depth - 1) }
    return random.chance(50) ? .all(conditions) : .any(conditions)
  }
}
