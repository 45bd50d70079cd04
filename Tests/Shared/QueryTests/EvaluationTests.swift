// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@testable import FlexSyncQuery

/// Rules that the vectors touch lightly.
@Suite struct EvaluationTests {
  private func decimal(_ text: String) throws -> Value { .decimal(try #require(Decimal128(number: text))) }

  @Test(arguments: [
    ("1.5", "+", "2.25", "3.75"), ("1", "-", "0.1", "0.9"), ("2.5", "*", "4", "10.0"),
    ("1", "/", "3", "0.3333333333333333333333333333333333"), ("1", "/", "8", "0.125"),
    ("2", "/", "3", "0.6666666666666666666666666666666667"), ("-7", "/", "2", "-3.5"),
    ("9999999999999999999999999999999999", "+", "1", "1E34"), ("1E40", "+", "1E-40", "1E40"),
    ("9000000000000000000000000000000000E6111", "*", "10", "inf"), ("1", "/", "0", "inf"),
    ("inf", "-", "inf", "nan"), ("0", "/", "0", "nan"),
    (
      "9999999999999999999999999999999999", "*", "9999999999999999999999999999999999",
      "9.999999999999999999999999999999998E67"
    ),
    ("1E-6176", "/", "2", "0"), ("5", "-", "5.00", "0"),
  ])
  func decimalsAreComputedWith34Digits(left: String, symbol: String, right: String, result: String) throws {
    let operation = try #require(ArithmeticOperator(rawValue: symbol))
    let found = operation.apply(try decimal(left), try decimal(right))
    let wanted = try decimal(result)
    #expect(ValueOrder.sort(found, wanted) == 0, "\(CanonicalText.of(found)) instead of \(result)")
  }

  @Test func integersWrapAndDivideLikeIntegers() {
    #expect(ArithmeticOperator.add.apply(.int(.max), .int(1)) == .int(.min))
    #expect(ArithmeticOperator.divide.apply(.int(7), .int(2)) == .int(3))
    #expect(ArithmeticOperator.divide.apply(.int(-7), .int(2)) == .int(-3))
    #expect(ArithmeticOperator.divide.apply(.int(.min), .int(-1)) == .int(.min))
    #expect(ArithmeticOperator.divide.apply(.int(1), .int(0)) == .int(.max))
    #expect(ArithmeticOperator.divide.apply(.double(1), .int(0)) == .double(.infinity))
    #expect(ArithmeticOperator.add.apply(.int(1), .string("2")) == .null)
    #expect(ArithmeticOperator.add.apply(.null, .int(2)) == .null)
  }

  @Test(arguments: [
    ("doubleList < 1.0", true), ("doubleList <= -5.0", true), ("ALL doubleList >= 1.0", false),
    ("doubleList > 100.0", false), ("doubleList[0] < 1.0", true), ("doubleList == nan", false),
    ("doubleList >= nan", true), ("doubleList < nan", false), ("NONE doubleList < 1.0", false),
    ("double < 1.0", false), ("double >= 1.0", false),
  ])
  func notANumberIsBelowAllNumbersInACollection(text: String, expected: Bool) throws {
    let row = RowImage(["double": .value(.double(.nan)), "doubleList": .list([.double(.nan), .double(7)])])
    let query = try Query.parse(text).bind(to: RandomQueries.schema, className: "A")
    #expect(query.predicate.matches(row) == expected)
    #expect(CompiledPredicate(query.predicate).matches(row) == expected)
  }

  @Test func countsOnlyTheLinksOfADictionaryThatLeadToObjects() throws {
    let dataset = Dataset()
    dataset.schema = RandomQueries.schema
    let existing = Value.link(Link(className: "A", key: .int(1))),
      missing = Value.link(Link(className: "A", key: .int(9)))
    dataset.insert(
      StoredObject(
        className: "A",
        key: .int(1),
        image: RowImage([
          "_id": .value(.int(1)), "toA": .value(existing), "allA": .list([existing, missing]),
          "mapA": .dictionary([
            DictionaryEntry("a", existing), DictionaryEntry("b", .null), DictionaryEntry("c", missing),
          ]),
        ])
      )
    )
    let store = try StoredDataset(dataset)
    for (text, expected) in [
      ("mapA.@count == 1", 1), ("mapA.@size == 1", 1), ("toA.mapA.@count == 1", 1),
      ("ANY allA.mapA.@count == 1", 1),
      ("mapB.@count == 0", 1), ("mapA.@keys == 'c'", 1), ("allA.@count == 1", 1),
      ("SUBQUERY(allA, $x, $x.mapA.@count == 1).@count == 1", 1),
    ] {
      let query = try Query.parse(text).bind(to: dataset.schema, className: "A")
      #expect(dataset.evaluate(query).count == expected, "\(text)")
      #expect(try store.rows(query)?.count == expected, "\(text)")
    }
  }

  @Test(arguments: ["==[c]", "BEGINSWITH[c]", "ENDSWITH[c]", "CONTAINS[c]", "LIKE[c]"])
  func theSigmaAtTheEndOfAWordIsASigma(operation: String) throws {
    for (text, other) in [("ΟΔΟΣ", "οδος"), ("οδος", "οδοσ"), ("ΟΔΟΣ", "οδοσ")] {
      for (text, other) in [(text, other), (other, text)] {
        let query = try Query.parse("string \(operation) '\(other)'").bind(
          to: RandomQueries.schema,
          className: "A"
        )
        #expect(query.predicate.matches(RowImage(["string": .value(.string(text))])), "\(text) \(other)")
      }
    }
    let exact = try Query.parse("string == 'οδος'").bind(to: RandomQueries.schema, className: "A")
    #expect(!exact.predicate.matches(RowImage(["string": .value(.string("οδοσ"))])))
  }

  private func ring(_ points: [(Double, Double)]) -> [GeoPoint] {
    (points + points.prefix(1)).map { GeoPoint(longitude: $0.0, latitude: $0.1) }
  }

  private func contains(_ shape: GeoShape, _ longitude: Double, _ latitude: Double) -> Bool {
    shape.contains(GeoPoint(longitude: longitude, latitude: latitude))
  }

  @Test func polygonsHaveHolesAndNoDirection() {
    let outer = ring([(-10, -10), (10, -10), (10, 10), (-10, 10)])
    let hole = ring([(-1, -1), (-1, 1), (1, 1), (1, -1)])
    for outer in [outer, outer.reversed()] {
      for hole in [hole, hole.reversed()] {
        let shape = GeoShape.polygon([outer, hole])
        #expect(shape.problem == nil)
        #expect(contains(shape, 5, 5) && contains(shape, -9, 9))
        #expect(!contains(shape, 0, 0) && !contains(shape, 11, 0) && !contains(shape, 180, 0))
        #expect(!contains(shape, 175, -5))
      }
    }
  }

  @Test func shapesCrossTheDateLineAndHoldThePole() {
    let pacific = GeoShape.polygon([ring([(170, -10), (-170, -10), (-170, 10), (170, 10)])])
    #expect(contains(pacific, 180, 0) && contains(pacific, -175, 5) && contains(pacific, 175, -5))
    #expect(!contains(pacific, 0, 0) && !contains(pacific, 165, 0))
    let arctic = GeoShape.polygon([ring([(0, 70), (90, 70), (180, 70), (-90, 70)])])
    #expect(contains(arctic, 0, 90) && contains(arctic, 45, 80) && !contains(arctic, 45, 60))
    let circle = GeoShape.circle(center: GeoPoint(longitude: 179.5, latitude: 0), radius: 0.03)
    #expect(contains(circle, -179.5, 0) && !contains(circle, 177, 0))
  }

  @Test func edgesAreGreatCircles() {
    // Between two places on one parallel the shortest way leads nearer to the pole.
    let shape = GeoShape.polygon([ring([(-40, 0), (40, 0), (40, 50), (-40, 50)])])
    #expect(contains(shape, 0, 52))
    #expect(!contains(shape, 0, 60))
  }

  @Test(arguments: [
    GeoShape.polygon([]), .polygon([[GeoPoint(longitude: 0, latitude: 0)]]),
    .circle(center: GeoPoint(longitude: 0, latitude: 91), radius: 1),
    .circle(center: GeoPoint(longitude: 0, latitude: 0), radius: -1),
    .circle(center: GeoPoint(longitude: 0, latitude: 0), radius: .nan),
    .box(GeoPoint(longitude: 1, latitude: 1), GeoPoint(longitude: 1, latitude: 1)),
  ])
  func saysWhatIsWrongWithAShape(shape: GeoShape) {
    #expect(shape.problem != nil)
  }

  @Test(arguments: [
    ("Ärger", "äRGER", true), ("straße", "STRASSE", false), ("İ", "i", false), ("ǅ", "ǆ", true),
    ("x", "y", false),
  ])
  func caseIsFoldedCharacterByCharacter(left: String, right: String, isEqual: Bool) {
    let bytes = (Array(left.utf8), Array(right.utf8))
    #expect(TextMatching.compare(bytes.0, bytes.1, TextMatching.equalsIgnoringCase) == isEqual)
    #expect(TextMatching.compare(bytes.0, bytes.1, TextMatching.endsIgnoringCase) == isEqual)
    #expect(TextMatching.compare(bytes.0, bytes.1, TextMatching.containsIgnoringCase) == isEqual)
  }

  @Test func bytesThatAreNoTextMatchOnlyThemselves() {
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xE2, 0x82], [0x80, 0x41], [0xF0, 0x9F, 0xA6]] {
      #expect(TextMatching.compare(bytes, bytes, TextMatching.equalsIgnoringCase))
      #expect(TextMatching.compare(bytes + [0x41], [0x61], TextMatching.endsIgnoringCase))
      #expect(
        TextMatching.compare(bytes, Array("?*".utf8)) { TextMatching.isLike($0, $1, ignoresCase: true) }
      )
    }
  }
}
