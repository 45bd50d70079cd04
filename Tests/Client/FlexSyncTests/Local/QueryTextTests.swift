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
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Map<String, Int>
  @Persisted var contacts: Map<String, QueriedObject?>
  @Persisted var place: QueriedPlace?
  @Persisted var price: Decimal128
  @Persisted var prices: List<Decimal128>
  @Persisted var anything: AnyRealmValue
  @Persisted var maybeLevel: QueriedLevel?
  @Persisted var levels: List<QueriedLevel>
  @Persisted var levelsByName: Map<String, QueriedLevel?>
  @Persisted(originProperty: "friends") var admirers: LinkingObjects<QueriedObject>
}

private class QueriedPlace: EmbeddedObject {
  @Persisted var name: String
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  convenience init(_ longitude: Double, _ latitude: Double) {
    self.init()
    coordinates.append(longitude)
    coordinates.append(latitude)
  }
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

  @Test func rawValues() {
    #expect(text { $0.level.rawValue > 1 } == "(level > %@)")
    #expect(text { $0.maybeLevel.rawValue == nil } == "(maybeLevel == %@)")
    #expect(text { $0.maybeLevel.rawValue > 1 } == "(maybeLevel > %@)")
    #expect(text { $0.levels.rawValue.contains(1...2) } == "((levels.@min >= %@) && (levels.@max <= %@))")
    #expect(text { $0.levels.rawValue == 1 } == "(ANY levels == %@)")
    #expect(text { $0.levelsByName.rawValue.max == 2 } == "(levelsByName.@max == %@)")
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

  @Test func setsAndMaps() {
    #expect(text { $0.tags == "a" } == "(ANY tags == %@)")
    #expect(text { $0.tags.contains("a") } == "(%@ IN tags)")
    #expect(text { $0.tags.containsAny(in: ["a"]) } == "(ANY tags IN %@)")
    #expect(text { $0.tags.count == 1 } == "(tags.@count == %@)")
    #expect(text { $0.scores["k"] == 1 } == "(scores[%@] == %@)")
    #expect(text { $0.scores["k"] > 1 } == "(scores[%@] > %@)")
    #expect(text { $0.scores.keys == "k" } == "(ANY scores.@allKeys == %@)")
    #expect(text { $0.scores.keys.starts(with: "k") } == "(ANY scores.@allKeys BEGINSWITH %@)")
    #expect(text { $0.scores.values > 1 } == "(ANY scores.@allValues > %@)")
    #expect(text { $0.scores == 1 } == "(ANY scores == %@)")
    #expect(text { $0.scores.contains(1) } == "(%@ IN scores)")
    #expect(text { $0.scores.contains(1...2) } == "((scores.@min >= %@) && (scores.@max <= %@))")
    #expect(text { $0.scores.avg > 1 } == "(scores.@avg > %@)")
    #expect(text { $0.scores.count > 1 } == "(scores.@count > %@)")
  }

  @Test func embeddedAndLinkingObjects() {
    #expect(text { $0.place.name == "here" } == "(place.name == %@)")
    #expect(text { $0.admirers.int > 1 } == "(ANY @links.QueriedObject.friends.int > %@)")
    #expect(text { $0.admirers.count == 1 } == "(@links.QueriedObject.friends.@count == %@)")
  }

  @Test func decimalsAndMixedValues() {
    #expect(text { $0.price > 1.5 } == "(price > %@)")
    #expect(text { $0.prices.sum == 3 } == "(prices.@sum == %@)")
    #expect(text { $0.anything == .string("a") } == "(anything == %@)")
    #expect(text { $0.anything > .int(1) } == "(anything > %@)")
    #expect(text { $0.anything["k"][0] == .int(1) } == "(anything[%@][%@] == %@)")
    #expect(text { $0.anything.any["k"] == .int(1) } == "(anything[%K][%@] == %@)")
    #expect(arguments { $0.anything.any == .int(1) }.first as? String == "#any")
  }

  @Test func decimalsAndMixedValuesSelectObjects() throws {
    let realm = try LocalFile().open()
    try realm.write {
      let one = QueriedObject()
      one.int = 1
      one.price = 2.5
      one.prices.append(objectsIn: [1, 2])
      one.anything = .fromDictionary(["k": .fromArray([.int(1), .string("x")])])
      let two = QueriedObject()
      two.int = 2
      two.anything = .fromArray([.int(5)])
      realm.add([one, two])
    }
    func found(_ condition: (Query<QueriedObject>) -> Query<Bool>) -> [Int] {
      realm.objects(QueriedObject.self).where(condition).map(\.int)
    }
    #expect(found { $0.price > 1.5 } == [1])
    #expect(found { $0.prices.sum == 3 } == [1])
    #expect(found { $0.anything["k"][1] == .string("x") } == [1])
    #expect(found { $0.anything[0] == .int(5) } == [2])
    #expect(found { $0.anything.any == .int(5) } == [2])
  }

  @Test func everyFormSelectsObjects() throws {
    let realm = try LocalFile().open()
    let (one, two) = (QueriedObject(), QueriedObject())
    try realm.write {
      one.int = 1
      one.texts.append("a")
      one.numbers.append(objectsIn: [1, 2, 3])
      one.tags.insert("x")
      one.scores["k"] = 7
      one.place = QueriedPlace(2, 1)
      two.int = 2
      two.scores["other"] = 7
      realm.add([one, two])
      one.friends.append(two)
      one.contacts["boss"] = two
    }
    func found(_ condition: (Query<QueriedObject>) -> Query<Bool>) -> [Int] {
      realm.objects(QueriedObject.self).where(condition).map(\.int)
    }
    #expect(found { $0.tags.contains("x") } == [1])
    #expect(found { $0.tags == "x" } == [1])
    #expect(found { $0.scores["k"] == 7 } == [1])
    #expect(found { $0.scores.keys == "other" } == [2])
    #expect(found { $0.scores.values == 7 } == [1, 2])
    #expect(found { $0.scores.sum == 7 } == [1, 2])
    #expect(found { $0.numbers.avg == 2 } == [1])
    #expect(found { $0.numbers.contains(1...3) } == [1])
    #expect(found { $0.friends.int.max == 2 } == [1])
    #expect(found { ($0.friends.int == 2).count == 1 } == [1])
    #expect(found { $0.admirers.int == 1 } == [2])
    #expect(found { $0.admirers.count == 0 } == [1])
    #expect(found { $0.place.type == "Point" } == [1])
    let box = try #require(GeoBox(bottomLeft: (0, 0), topRight: (3, 3)))
    #expect(found { $0.place.geoWithin(box) } == [1])
    #expect(found { !$0.place.geoWithin(box) } == [2])
    #expect(found { $0.contacts["boss"] == two } == [1])
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
    // Outside of its collection, too, a subquery names the properties of an element, as in the SDK.
    #expect(
      text { ($0.friends.text == $0.alias).count == 0 }
        == "(SUBQUERY(friends, $col1, ($col1.text == alias)).@count == %@)"
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
      _ = Query<QueriedObject>.stop { ($0.text == $0.alias).count > 1 }
    }
    #expect(message(of: result).contains("Subqueries must contain a keypath starting with a collection."))
  }

  @Test func aMapSubscriptHasNoProperties() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueriedObject>.stop { $0.contacts["a"].int == 1 }
    }
    #expect(message(of: result).contains("Cannot apply key path to Map subscripts."))
  }

  @Test func aSubqueryHasNoMapSubscripts() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueriedObject>.stop { ($0.friends.scores["a"] == 1).count > 1 }
    }
    #expect(message(of: result).contains("Subqueries do not support map subscripts."))
  }

  @Test func aSubqueryHasNoSubscriptsOfMixedValues() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueriedObject>.stop { ($0.friends.anything[0] == .int(1)).count > 1 }
    }
    #expect(message(of: result).contains("Subqueries do not support AnyRealmValue subscripts."))
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
