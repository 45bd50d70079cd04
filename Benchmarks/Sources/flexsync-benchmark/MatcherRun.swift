// SPDX-License-Identifier: Apache-2.0

import FlexSyncMatcher
import FlexSyncModel
import FlexSyncQuery

/// Predicates of one form on a class with seven properties.
struct PredicateKind: Sendable {
  let name: String
  let constantCount: Int
  /// The predicate with the given number. The changes match none of them.
  let predicate: @Sendable (Int) -> Predicate

  static let indexed = [equal, owner, membership, contains, greater, between, prefix]
  static let residual = [like, ignoringCase, notEqual]

  static func ownerName(_ number: Int) -> String { "user-\(number)" }

  static let equal = PredicateKind(name: "a == x", constantCount: 1) {
    compare("owner", .equal, .string(ownerName($0)))
  }
  static let owner = PredicateKind(name: "b == false AND a == x", constantCount: 2) {
    .all([compare("completed", .equal, .bool(false)), compare("owner", .equal, .string(ownerName($0)))])
  }
  static let membership = PredicateKind(name: "a IN {x, y, z}", constantCount: 3) { number in
    let names = (0..<3).map { Value.string(ownerName(number * 3 + $0)) }
    return .comparison(Comparison(path("owner"), .equal, .list(names, nil)))
  }
  static let contains = PredicateKind(name: "x IN list", constantCount: 1) {
    .comparison(Comparison(.constant(.string("tag-\($0)")), .equal, path("tags")))
  }
  static let greater = PredicateKind(name: "n > x", constantCount: 1) {
    compare("minutes", .greater, .int(10_000_000 + Int64($0)))
  }
  /// The changes fall into the gaps between the ranges.
  static let between = PredicateKind(name: "n BETWEEN {x, y}", constantCount: 2) {
    .all([
      compare("minutes", .greaterOrEqual, .int(Int64($0) * 8)),
      compare("minutes", .lessOrEqual, .int(Int64($0) * 8 + 4)),
    ])
  }
  static let prefix = PredicateKind(name: "a BEGINSWITH x", constantCount: 1) {
    compare("name", .beginsWith, .string("customer-\($0)/"))
  }
  static let like = PredicateKind(name: "a LIKE x", constantCount: 1) {
    compare("name", .like, .string("*order-\($0)*"))
  }
  static let ignoringCase = PredicateKind(name: "a ==[c] x", constantCount: 1) {
    compare("owner", .equal, .string("MEMBER-\($0)"), ignoresCase: true)
  }
  static let notEqual = PredicateKind(name: "a != x AND b != false", constantCount: 2) {
    .all([compare("owner", .notEqual, .string(ownerName($0))), compare("completed", .notEqual, .bool(false))])
  }

  fileprivate static let properties = [
    PropertySchema(name: "_id", type: .objectId), PropertySchema(name: "name", type: .string),
    PropertySchema(name: "owner", type: .string, isNullable: true),
    PropertySchema(name: "completed", type: .bool),
    PropertySchema(name: "minutes", type: .int), PropertySchema(name: "due", type: .timestamp),
    PropertySchema(name: "tags", type: .string, collection: .list),
  ]

  fileprivate static func path(_ name: String) -> Operand {
    let property = properties.first { $0.name == name } ?? properties[0]
    return .path(PropertyPath(property, of: "Task"))
  }

  private static func compare(
    _ name: String,
    _ symbol: Comparison.Operator,
    _ constant: Value,
    ignoresCase: Bool = false
  ) -> Predicate {
    .comparison(Comparison(path(name), symbol, .constant(constant), ignoresCase: ignoresCase))
  }
}

/// An index with predicates, and changes to match against it.
///
/// A repetition consists of many short passes, each with new values, and the median pass counts. The processor
/// caches therefore hold what they would hold on a busy server (the predicate tables, not the changes), and an
/// interrupted pass does not distort the result.
final class MatcherRun {
  static let changeCount = 256
  private static let passCount = 48

  let count: Int
  private var index = PredicateIndex()
  private let predicates: [Predicate]
  private var changes: [(before: SlotImage, after: SlotImage)] = []
  private var number = 0

  /// - Parameter sharedOwners: The number of predicates that also admit the owner "group".
  init(_ kind: PredicateKind, count: Int, sharedOwners: Int = 0) {
    self.count = count
    var index = PredicateIndex()
    // Images hold all properties, however few of them the predicates use.
    for property in PredicateKind.properties {
      let always = Comparison(.path(PropertyPath(property, of: "Task")), .notEqual, .constant(.null))
      index.remove(index.add(.comparison(always)))
    }
    predicates = (0..<min(count, 1_000)).map(kind.predicate)
    for number in 0..<count {
      let predicate = number < predicates.count ? predicates[number] : kind.predicate(number)
      let isShared = number < sharedOwners
      _ = index.add(isShared ? .any([predicate, MatcherRun.owner("group", number)]) : predicate)
    }
    self.index = index
    makeChanges()
  }

  private static func owner(_ owner: String, _ number: Int) -> Predicate {
    let minutes = Comparison(PredicateKind.path("minutes"), .greater, .constant(.int(Int64(-1 - number))))
    let owner = Comparison(PredicateKind.path("owner"), .equal, .constant(.string(owner)))
    return .all([.comparison(owner), .comparison(minutes)])
  }

  var byteCount: Int { index.byteCount }

  /// Returns the time that a number of changes takes, in seconds.
  ///
  /// - Parameter owner: The owner after each change; nil for one that occurs in no predicate.
  func seconds(changes count: Int = changeCount, owner: String? = nil, expectedMatches: Int) throws -> Double
  {
    var times: [Double] = []
    // With the standard number of changes, the first half of the passes is warm-up and does not count.
    for pass in 0..<(count == MatcherRun.changeCount ? MatcherRun.passCount : 4) {
      makeChanges()
      if let owner, let slot = index.slots.firstIndex(of: "owner") {
        for number in changes.indices { changes[number].after.fields[slot] = .value(.string(owner)) }
      }
      var matchCount = 0
      let time = flexsync_benchmark.seconds {
        for change in changes[..<count] {
          index.forEachMatch(before: change.before, after: change.after) { _, _ in matchCount += 1 }
        }
      }
      try require("predicates met", matchCount, expectedMatches)
      if pass >= MatcherRun.passCount / 2 || count != MatcherRun.changeCount { times.append(time) }
    }
    return Samples(times).median
  }

  /// Returns the time that the evaluator takes for the same changes, in seconds.
  func secondsOfEvaluator(changes count: Int) throws -> Double {
    var matchCount = 0
    let slots = index.slots
    let rows = changes[..<count].flatMap { [row($0.before, slots), row($0.after, slots)] }
    let time = flexsync_benchmark.seconds {
      for row in rows { for predicate in predicates where predicate.matches(row) { matchCount += 1 } }
    }
    try require("predicates met", matchCount, 0)
    return time
  }

  func addAndRemove(_ others: [Predicate]) {
    let ids = others.map { index.add($0) }
    for id in ids { index.remove(id) }
  }

  private func row(_ image: SlotImage, _ slots: [String]) -> RowImage {
    var row = RowImage()
    for (name, field) in zip(slots, image.fields) {
      switch field {
      case .value(let value): row.fields[name] = .value(value)
      case .elements(let elements): row.fields[name] = .list(elements)
      case .entries(let entries): row.fields[name] = .dictionary(entries)
      }
    }
    return row
  }

  /// Makes changes of all properties. Neither the old nor the new values occur in any predicate.
  private func makeChanges() {
    let slots = index.slots
    changes = (0..<MatcherRun.changeCount).map { _ in (image(slots), image(slots)) }
  }

  private func image(_ slots: [String]) -> SlotImage {
    number = (number &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
    let some = number % 1_000_000
    return SlotImage(
      slots.map { name in
        switch name {
        case "_id": .value(.objectId(ObjectId(high: UInt64(number), low: UInt32(some))))
        case "name": .value(.string("client-\(some)/task"))
        case "owner": .value(.string("member of \(some)"))
        case "completed": .value(.bool(false))
        case "minutes": .value(.int(Int64(some) * 8 + 6))
        case "due": .value(.timestamp(Timestamp(milliseconds: Int64(number))))
        default: .elements((0..<3).map { .string("label-\(some + $0)") })
        }
      }
    )
  }
}
