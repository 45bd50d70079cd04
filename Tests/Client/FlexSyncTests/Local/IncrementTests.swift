// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Counter: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var count: Int
  @Persisted var rounds: Int?
  @Persisted var next: Counter?

  /// A property that is not stored.
  var minutes = 0
  /// Another name of a stored property.
  var total: Int {
    get { count }
    set { count = newValue }
  }
  var dozens: Int {
    get { count / 12 }
    set { count = newValue * 12 }
  }
}

/// Adding to integers.
@Suite struct IncrementTests {
  @Test func anObjectInNoRealmIsIncremented() {
    let counter = Counter()
    counter.increment(\.count)
    counter.increment(\.count, by: 5)
    #expect(counter.count == 6)
    counter.increment(\.count, by: -10)
    #expect(counter.count == -4)
    counter.increment(\.rounds)
    #expect(counter.rounds == nil, "null stays null")
    counter.rounds = .max
    counter.increment(\.rounds, by: 1)
    #expect(counter.rounds == .min, "it wraps around")
    counter.increment(\.minutes)
    #expect(counter.minutes == 1)
  }

  @Test func anObjectInARealmIsIncremented() throws {
    let file = try LocalFile()
    let realm = try file.open()
    let counter = Counter(value: ["_id": 1, "count": 3])
    try realm.write {
      realm.add(counter)
      counter.increment(\.count)
      counter.increment(\.count, by: 5)
      #expect(counter.count == 9)
      counter.increment(\.rounds)
    }
    #expect(counter.count == 9 && counter.rounds == nil)
    try realm.write {
      counter.rounds = 7
      counter.increment(\.rounds, by: -8)
      counter.count = .max
      counter.increment(\.count, by: 2)
    }
    #expect(counter.rounds == -1 && counter.count == .min + 1)
    #expect(realm.objects(Counter.self).where { $0.rounds == -1 }.count == 1)
    #expect(counter.freeze().count == .min + 1)
  }

  @Test func anotherNameOfAPropertyIncrementsIt() throws {
    let realm = try LocalFile().open()
    let counter = Counter(value: ["_id": 1, "count": 3])
    try realm.write {
      realm.add(counter)
      counter.increment(\.total, by: 4)
    }
    #expect(counter.count == 7)
  }

  @Test func cancelingTakesIncrementsBack() throws {
    let realm = try LocalFile().open()
    let counter = Counter(value: ["_id": 1, "count": 3])
    try realm.write { realm.add(counter) }
    realm.beginWrite()
    counter.increment(\.count, by: 4)
    realm.cancelWrite()
    #expect(counter.count == 3)
  }

  @Test func observersAreToldOfIncrements() throws {
    let realm = try LocalFile().open()
    let counter = Counter(value: ["_id": 1, "count": 3])
    try realm.write { realm.add(counter) }
    var changes: [String] = []
    let token = counter.observe { change in
      guard case .change(_, let properties) = change else { return }
      changes += properties.map { "\($0.name): \($0.newValue ?? "nil")" }
    }
    var modifications: [[Int]] = []
    let other = realm.objects(Counter.self).observe { change in
      if case .update(_, _, _, let indexes) = change { modifications.append(indexes) }
    }
    realm.refresh()
    try realm.write { counter.increment(\.count, by: 2) }
    #expect(changes == ["count: 5"] && modifications == [[0]])
    try realm.write { counter.increment(\.rounds) }
    #expect(changes.count == 1, "null stays null")
    token.invalidate()
    other.invalidate()
  }

  @Test(arguments: IncrementMistake.allCases)
  func aMistakeStopsTheProgram(_ mistake: IncrementMistake) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
      try mistake.make()
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains(mistake.text), "\(output)")
  }
}

enum IncrementMistake: String, CaseIterable, Codable, Sendable {
  case outsideOfATransaction
  case ofAFrozenObject
  case ofADeletedObject
  case ofAPrimaryKey
  case ofAPropertyThatIsNotStored
  case ofAComputedProperty
  case throughALink

  var text: String {
    switch self {
    case .outsideOfATransaction:
      "Attempting to modify object outside of a write transaction - call beginWriteTransaction on an RLMRealm instance "
        + "first."
    case .ofAFrozenObject: "Attempting to modify a frozen object - call thaw on the Object instance first."
    case .ofADeletedObject: "Object has been deleted or invalidated."
    case .ofAPrimaryKey: "Primary key can't be changed after an object is inserted."
    case .ofAPropertyThatIsNotStored: "is not a @Persisted property of Counter"
    case .ofAComputedProperty:
      "Cannot increment a computed property of 'Counter'. Increment the @Persisted properties that it is computed from, such "
        + "as 'count'."
    case .throughALink: "Cannot increment 'next.count' of 'Counter': it is a property of another object."
    }
  }

  func make() throws {
    let file = try LocalFile()
    defer { withExtendedLifetime(file) {} }
    let realm = try file.open()
    let counter = Counter(value: ["_id": 1, "next": ["_id": 2]] as [String: Any])
    try realm.write { realm.add(counter) }
    guard self != .outsideOfATransaction else { return counter.increment(\.count) }
    let frozen = counter.freeze()
    try realm.write {
      switch self {
      case .outsideOfATransaction: break
      case .ofAFrozenObject: frozen.increment(\.count)
      case .ofADeletedObject:
        realm.delete(counter)
        counter.increment(\.count)
      case .ofAPrimaryKey: counter.increment(\._id)
      case .ofAPropertyThatIsNotStored: counter.increment(\.minutes)
      case .ofAComputedProperty: counter.increment(\.dozens)
      case .throughALink: counter.increment(\.next!.count)
      }
    }
  }
}
