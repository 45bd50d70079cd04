// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

import struct Foundation.URL

/// The predicate index: the cost of a change as the number of predicates grows. Every change modifies all
/// properties of the object, and the fastest repetition counts.
func matcherBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let matcher = MatcherBenchmark(
    sizes: options.isQuick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000],
    repetitions: 2 * options.repetitions
  )
  var figures: [Figure] = []
  for kind in PredicateKind.indexed { figures += try matcher.changesWithoutMatch(kind) }
  figures.append(try matcher.changesWithMatches())
  for kind in PredicateKind.residual { figures.append(try matcher.residual(kind)) }
  figures += try matcher.addingAndRemoving()
  return figures + (try PredicateKind.indexed.map(matcher.memory))
}

private struct MatcherBenchmark {
  let sizes: [Int]
  let repetitions: Int

  /// Predicates that no change matches, compared with a single such predicate.
  func changesWithoutMatch(_ kind: PredicateKind) throws -> [Figure] {
    let runs = ([1] + sizes).map { MatcherRun(kind, count: $0) }
    let samples = try measure(
      repetitions: repetitions,
      runs.map { run in Contender { _ in try run.seconds(expectedMatches: 0) } }
    )
    return runs.indices.dropFirst().map { index in
      Figure(
        quantity: "match a change, \(runs[index].count) predicates \(kind.name), none met",
        unit: .microseconds(per: "change"),
        flexSync: samples[index].perItem(MatcherRun.changeCount),
        comparison: "the same with 1 predicate",
        raw: samples[0].perItem(MatcherRun.changeCount),
        statistic: \.minimum
      )
    }
  }

  /// One predicate in a hundred matches, compared with an index of that many predicates, all of which match.
  func changesWithMatches() throws -> Figure {
    let size = sizes[1]
    let changeCount = 4
    let some = MatcherRun(.owner, count: size, sharedOwners: size / 100)
    let all = MatcherRun(.owner, count: size / 100, sharedOwners: size / 100)
    let samples = try measure(
      repetitions: repetitions,
      [some, all].map { run in
        Contender { _ in
          try run.seconds(changes: changeCount, owner: "group", expectedMatches: changeCount * size / 100)
        }
      }
    )
    return Figure(
      quantity: "match a change, \(size) predicates, 1 % of them met",
      unit: .microseconds(per: "change"),
      flexSync: samples[0].perItem(changeCount),
      comparison: "\(size / 100) predicates, all of them met",
      raw: samples[1].perItem(changeCount),
      statistic: \.minimum
    )
  }

  /// Predicates that must be evaluated one by one, compared with the evaluator.
  func residual(_ kind: PredicateKind) throws -> Figure {
    let run = MatcherRun(kind, count: 1_000)
    let changeCount = 1
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { _ in try run.seconds(changes: changeCount, expectedMatches: 0) },
        Contender { _ in try run.secondsOfEvaluator(changes: changeCount) },
      ]
    )
    return Figure(
      quantity: "match a change, predicates \(kind.name), which no index serves",
      unit: .microseconds(per: "predicate"),
      flexSync: samples[0].perItem(changeCount * run.count),
      comparison: "the evaluator, before and after the change",
      raw: samples[1].perItem(changeCount * run.count),
      statistic: \.minimum
    )
  }

  /// Each predicate is added to an index that holds 100,000 others, then removed.
  func addingAndRemoving() throws -> [Figure] {
    let count = 100_000
    let run = MatcherRun(.owner, count: count)
    let others = (count..<2 * count).map(PredicateKind.owner.predicate)
    let names = (0..<2 * count).map(PredicateKind.ownerName)
    var dictionary = Dictionary(uniqueKeysWithValues: names[..<count].map { ($0, 0) })
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { _ in seconds { run.addAndRemove(others) } },
        Contender { _ in
          seconds {
            for name in names[count...] { dictionary[name] = 1 }
            for name in names[count...] { dictionary[name] = nil }
          }
        },
      ]
    )
    return [
      Figure(
        quantity: "add a predicate to 100,000 and remove it",
        unit: .microseconds(per: "predicate"),
        flexSync: samples[0].perItem(count),
        comparison: "its constant to a Dictionary, and remove it",
        raw: samples[1].perItem(count),
        statistic: \.minimum
      )
    ]
  }

  func memory(_ kind: PredicateKind) throws -> Figure {
    let count = sizes[1]
    let bytes = Samples([Double(MatcherRun(kind, count: count).byteCount) / Double(count)])
    let constants = Samples([Double(kind.constantCount * MemoryLayout<Value>.stride)])
    return Figure(
      quantity: "memory of a predicate \(kind.name), of \(count)",
      unit: .bytes(per: "predicate"),
      flexSync: bytes,
      comparison: "its constants alone",
      raw: constants
    )
  }
}
