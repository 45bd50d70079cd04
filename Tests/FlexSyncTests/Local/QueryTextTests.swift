// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import FlexSync

private enum QueriedLevel: Int, PersistableEnum, Comparable {
  case low = 1
  case high = 2

  static func < (left: QueriedLevel, right: QueriedLevel) -> Bool { left.rawValue < right.rawValue }
}

private class QueriedObject: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var int: Int
  @Persisted var other: Int
  @Persisted var double: Double
  @Persisted var flag: Bool
  @Persisted var text: String
  @Persisted var alias: String
  @Persisted var note: String?
  @Persisted var maybe: Int?
  @Persisted var date: Date
  @Persisted var data: Data
  @Persisted var uuid: UUID
  @Persisted var level: QueriedLevel
  @Persisted var friend: QueriedObject?
  @Persisted var numbers: List<Int>
  @Persisted var maybes: List<Int?>
  @Persisted var texts: List<String>
  @Persisted var friends: List<QueriedObject>
}

/// The text that each Swift expression stands for.
@Suite struct QueryTextTests {
  private func text(_ condition: (Query<QueriedObject>) -> Query<Bool>) -> String {
    condition(.root).predicate.text
  }

  private func arguments(_ condition: (Query<QueriedObject>) -> Query<Bool>) -> [Any] {
    condition(.root).predicate.arguments
  }

  @Test func comparisonsPutConstantsIntoArguments() {
    #expect(text { $0.int == 5 } == "(int == %@)")
    #expect(text { $0.int != 5 } == "(int != %@)")
    #expect(text { $0.int > 5 } == "(int > %@)")
    #expect(text { $0.double >= 5 } == "(double >= %@)")
    #expect(text { $0.date < Date() } == "(date < %@)")
    #expect(text { $0.text <= "m" } == "(text <= %@)")
    #expect(text { $0.note == nil } == "(note == %@)")
    #expect(text { $0.maybe > 3 } == "(maybe > %@)")
    #expect(text { $0.uuid == UUID() } == "(uuid == %@)")
    #expect(text { $0.friend == nil } == "(friend == %@)")
    #expect(arguments { $0.int == 5 } as? [Int] == [5])
  }

  @Test func propertiesCompareWithProperties() {
    #expect(text { $0.int == $0.other } == "(int == other)")
    #expect(text { $0.int > $0.other } == "(int > other)")
    #expect(text { $0.text.contains($0.alias, options: .caseInsensitive) } == "(text CONTAINS[c] alias)")
  }

  @Test func compoundsAndNegations() {
    #expect(text { $0.int == 1 && $0.text == "a" } == "((int == %@) && (text == %@))")
    #expect(text { $0.int == 1 || $0.text == "a" } == "((int == %@) || (text == %@))")
    #expect(text { !($0.int == 1) } == "(NOT int == %@)")
    #expect(text { !($0.int == 1 && $0.flag) } == "NOT ((int == %@) && flag == true)")
    #expect(text { !(!($0.int == 1)) } == "(NOT NOT int == %@)")
    #expect(text { !$0.int.contains(1...2) } == "(NOT int BETWEEN {%@, %@})")
  }

  @Test func longChainsDoNotNest() throws {
    let three = text { $0.int == 1 && $0.int == 2 && $0.int == 3 }
    #expect(three == "(((int == %@) && (int == %@)) && (int == %@))")
    let long = text { object in (2...500).reduce(object.int == 1) { $0 || object.int == $1 } }
    #expect(long.hasPrefix("((int == %@) || (int == %@) || "))
    let realm = try LocalFile().open()
    try realm.write { realm.add(QueriedObject(value: ["int": 300])) }
    let found = realm.objects(QueriedObject.self).where { object in
      (2...500).reduce(object.int == 1) { $0 || object.int == $1 }
    }
    #expect(found.count == 1)
  }

  @Test func aBoolStandsAlone() {
    #expect(text { $0.flag } == "flag == true")
    #expect(text { !$0.flag } == "flag == false")
    #expect(text { $0.flag && !$0.flag } == "(flag == true && flag == false)")
    #expect(text { $0.flag == true } == "(flag == %@)")
  }

  @Test func membershipAndRanges() {
    #expect(text { $0.int.in([1, 2]) } == "(int IN %@)")
    #expect(text { $0.int.in([]) } == "(int IN %@)")
    #expect(text { $0.int.contains(1...5) } == "(int BETWEEN {%@, %@})")
    #expect(text { $0.int.contains(1..<5) } == "((int >= %@) && (int < %@))")
    #expect(text { $0.maybe.contains(1...5) } == "(maybe BETWEEN {%@, %@})")
    #expect(text { $0.level.contains(.low ... .high) } == "(level BETWEEN {%@, %@})")
  }

  @Test func textAndBytes() {
    #expect(text { $0.text.contains("a") } == "(text CONTAINS %@)")
    #expect(text { $0.text.contains("a", options: .caseInsensitive) } == "(text CONTAINS[c] %@)")
    #expect(text { $0.text.starts(with: "a", options: .diacriticInsensitive) } == "(text BEGINSWITH[d] %@)")
    #expect(
      text { $0.text.ends(with: "a", options: [.caseInsensitive, .diacriticInsensitive]) }
        == "(text ENDSWITH[cd] %@)"
    )
    #expect(text { $0.text.like("a*") } == "(text LIKE %@)")
    #expect(text { $0.text.like("a*", caseInsensitive: true) } == "(text LIKE[c] %@)")
    #expect(text { $0.text.equals("a", options: .caseInsensitive) } == "(text ==[c] %@)")
    #expect(text { $0.text.notEquals("a", options: .caseInsensitive) } == "(text !=[c] %@)")
    #expect(text { $0.note.starts(with: "a") } == "(note BEGINSWITH %@)")
    #expect(text { $0.data.contains(Data([1])) } == "(data CONTAINS %@)")
    #expect(text { $0.data.starts(with: Data([1])) } == "(data BEGINSWITH %@)")
    #expect(text { $0.data.ends(with: Data([1])) } == "(data ENDSWITH %@)")
  }

  @Test func collections() {
    #expect(text { $0.numbers == 5 } == "(ANY numbers == %@)")
    #expect(text { $0.numbers > 5 } == "(ANY numbers > %@)")
    #expect(text { $0.friends.int > 5 } == "(ANY friends.int > %@)")
    #expect(text { $0.friend.friends.friend.int > 5 } == "(ANY friend.friends.friend.int > %@)")
    #expect(text { $0.numbers.contains(5) } == "(%@ IN numbers)")
    #expect(text { $0.friend.numbers.contains(5) } == "(%@ IN friend.numbers)")
    #expect(text { $0.numbers.containsAny(in: [5]) } == "(ANY numbers IN %@)")
    #expect(text { $0.numbers.contains(1...5) } == "((numbers.@min >= %@) && (numbers.@max <= %@))")
    #expect(text { $0.numbers.contains(1..<5) } == "((numbers.@min >= %@) && (numbers.@max < %@))")
    #expect(text { $0.maybes.contains(1..<5) } == "((maybes.@min >= %@) && (maybes.@max < %@))")
    #expect(text { $0.texts.contains("a") } == "(%@ IN texts)")
  }

  @Test func aggregates() {
    #expect(text { $0.numbers.count > 2 } == "(numbers.@count > %@)")
    #expect(text { $0.friends.count > 2 } == "(friends.@count > %@)")
    #expect(text { $0.numbers.min > 2 } == "(numbers.@min > %@)")
    #expect(text { $0.numbers.max > 2 } == "(numbers.@max > %@)")
    #expect(text { $0.numbers.avg > 2 } == "(numbers.@avg > %@)")
    #expect(text { $0.numbers.sum > 2 } == "(numbers.@sum > %@)")
    #expect(text { $0.friends.int.avg == 2 } == "(friends.@avg.int == %@)")
    #expect(text { $0.friend.friends.int.sum == 2 } == "(friend.friends.@sum.int == %@)")
  }

  @Test func linksAndEnumerations() {
    #expect(text { $0.friend.friend.text == "a" } == "(friend.friend.text == %@)")
    #expect(text { $0.level == .high } == "(level == %@)")
    #expect(text { $0.level > .low } == "(level > %@)")
    #expect(text { $0.level.rawValue == 2 } == "(level == %@)")
  }

  @Test func subqueries() {
    #expect(
      text { ($0.friends.int == 5).count > 2 } == "(SUBQUERY(friends, $col1, ($col1.int == %@)).@count > %@)"
    )
    #expect(
      text { ($0.friends.int == 5 && $0.friends.text == "a").count == 1 }
        == "(SUBQUERY(friends, $col1, (($col1.int == %@) && ($col1.text == %@))).@count == %@)"
    )
    #expect(
      text { ($0.friends.int == 5).count > 2 && ($0.friend.friends.flag).count == 0 }
        == "((SUBQUERY(friends, $col1, ($col1.int == %@)).@count > %@)"
        + " && (SUBQUERY(friend.friends, $col2, $col2.flag == true).@count == %@))"
    )
    #expect(
      text { ($0.friends.numbers.contains(1)).count > 2 }
        == "(SUBQUERY(friends, $col1, (%@ IN $col1.numbers)).@count > %@)"
    )
  }

  @Test func shapes() throws {
    let center = try #require(GeoPoint(latitude: 1, longitude: 2))
    let circle = GeoCircle(center: center, radius: try #require(.radians(0.5)))
    #expect(text { $0.friend.geoWithin(circle) } == "(friend IN %@)")
    #expect(GeoPoint(latitude: 91, longitude: 0) == nil)
    #expect(GeoPolygon(outerRing: [center, center, center]) == nil)
  }

  @Test func theTextBecomesRealmQueryLanguage() throws {
    func converted(_ condition: (Query<QueriedObject>) -> Query<Bool>) -> String {
      condition(.root).rendered.text
    }
    #expect(converted { $0.int == 5 && $0.text == "a" } == "((int == $0) && (text == $1))")
    #expect(converted { $0.int.contains(1...2) } == "(int BETWEEN {$0, $1})")
    let box = try #require(GeoBox(bottomLeft: (-1, -2), topRight: (1, 2)))
    #expect(
      converted { $0.friend.geoWithin(box) } == "(friend GEOWITHIN geoBox([-2.0, -1.0], [2.0, 1.0]))"
    )
    #expect(
      RenderedQuery(text: "a BETWEEN %@ AND ANY m.@allKeys == %@", anyArguments: [[1, 2], "k"]).text
        == "a BETWEEN {$0, $1} AND ANY m.@keys == $2"
    )
  }

  @Test func twoCollectionsDoNotCompare() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueriedObject>.stop { $0.friends.int == $0.friends.other }
    }
    #expect(message(of: result).contains("Comparing two collection columns is not permitted."))
  }

  @Test func aSubqueryNeedsACollection() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueriedObject>.stop { ($0.friends.int == 1 && $0.int == 2).count > 1 }
    }
    #expect(message(of: result).contains("Subqueries must contain a keypath starting with a collection."))
  }

  @Test func aPropertyThatIsNoCollectionHasNoAverage() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueriedObject>.stop { $0.int.avg > 1 }
    }
    #expect(
      message(of: result).contains("Invalid keypath 'int.@avg': Property 'int' is not a link or collection")
    )
  }

  private func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}

extension Query where T == QueriedObject {
  fileprivate static func stop(_ condition: (Query) -> Query<Bool>) -> String {
    condition(.root).predicate.text
  }
}
