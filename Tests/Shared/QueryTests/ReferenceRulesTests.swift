// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import Testing

/// Rules of the reference that the vectors do not show, on the vectors' data set.
@Suite struct ReferenceRulesTests {
  private let dataset: Dataset

  init() throws { dataset = try VectorDataset.load() }

  private func count(_ text: String, _ arguments: [QueryArgument] = []) throws -> Int {
    let bound = try Query.parse(text).bind(to: dataset.schema, className: "Thing", arguments: arguments)
    let again = try Query.parse(bound.canonicalText).bind(to: dataset.schema, className: "Thing")
    #expect(again == bound)
    return dataset.evaluate(bound).count
  }

  private func kind(_ text: String, _ arguments: [QueryArgument] = []) -> QueryError.Kind? {
    do {
      _ = try count(text, arguments)
      return nil
    } catch {
      return (error as? QueryError)?.kind
    }
  }

  @Test(arguments: [("stringOpt > null", 17), ("stringOpt >= null", 18), ("stringOpt <= null", 1)])
  func nullIsBelowEveryStringOfTheObjectItself(text: String, expected: Int) throws {
    #expect(try count(text) == expected)
  }

  @Test func divisionByTheIntegerZeroYieldsAnExtreme() throws {
    #expect(try count("intCol / 0 == 9223372036854775807") == count("intCol >= 0"))
    #expect(try count("intCol / 0 == -9223372036854775808") == count("intCol < 0"))
  }

  @Test(arguments: [
    ("intCol == 3.0 / 2", "intCol == 1"), ("decimalCol == 3 / 2", "decimalCol == 1.5"),
    ("doubleCol == 3 / 2", "doubleCol == 1"), ("intCol == '1' + 1", "intCol == 2"),
    ("intCol + 1 == '2'", "intCol == 1"), ("floatCol * 1 == 3.4", "floatCol == 3.4"),
  ])
  func arithmeticConvertsConstantsToTheTypeBesideIt(text: String, same: String) throws {
    #expect(try count(text) == count(same))
  }

  @Test(arguments: ["intCol + 1 == 'x'", "intCol + 1 == true", "intCol + 1 == inf"])
  func arithmeticHasTheTypeOfItsLeftSide(text: String) {
    #expect(kind(text) == .query)
  }

  @Test(arguments: ["dateCol + 1 == 2", "link + 1 == 2", "intCol + null == 1", "intCol + 'a' == 1"])
  func arithmeticNeedsNumbers(text: String) {
    #expect(kind(text) == .argument)
  }

  @Test func arithmeticTakesOneListOnly() {
    #expect(kind("intList + intList == 2") == .query)
    #expect(kind("intList + {1} == 2") == nil)
  }

  @Test(arguments: [
    "intCol CONTAINS null", "anyCol LIKE null", "stringDict['a'] CONTAINS null", "intCol ==[c] null",
    "doubleCol ==[c] 1", "link.intCol ==[c] 1", "intDict['a'] ==[c] 1", "anyCol.@type ==[c] 'int'",
    "anyCol.@type CONTAINS 'int'",
  ])
  func textIsComparedWithTextOnly(text: String) {
    #expect(kind(text) == .query)
  }

  @Test func theCaseFlagMeansNothingBesideOtherConstantsAndInLists() throws {
    #expect(try count("intCol ==[c] 1") == count("intCol == 1"))
    #expect(try count("anyCol ==[c] 1") == count("anyCol == 1"))
    #expect(try count("stringCol IN[c] {'A', 'FOO'}") == count("stringCol IN {'A', 'FOO'}"))
    #expect(try count("anyCol ==[c] 'FOO'") == count("anyCol LIKE[c] 'FOO'"))
  }

  @Test func valuesOfDictionariesCompareWithEverything() throws {
    #expect(try count("intDict['a'] == '1'") == 0)
    #expect(try count("intDict == true") == 0)
    #expect(try count("intDict['a'] == intCol") == count("intCol == intDict['a']"))
    #expect(kind("intDict['a'] == stringCol") == nil)
    #expect(kind("linkDict['a'] == 5") == nil)
    #expect(kind("linkDict == 5") == .query)
  }

  @Test func severalObjectsMatchACollectionOfLinksThatHoldsOneOfThem() throws {
    let either = try count("links == obj('Thing', 1) OR links == obj('Thing', 2)")
    #expect(try count("links == {obj('Thing', 1), obj('Thing', 2)}") == either)
    #expect(try count("links IN {obj('Thing', 1), obj('Thing', 2)}") < either)
  }

  @Test func namesOfTypesComeFromLiteralsOnly() {
    #expect(kind("anyCol.@type IN {1}") == .query)
    #expect(kind("anyCol.@type IN $0", [.list([.string("int")])]) == .argument)
  }

  @Test func notANumberStandsBesideIntegers() throws {
    #expect(try count("intCol == nan") == 0)
    #expect(kind("intCol == $0", [.value(.float(.nan))]) == .query)
    #expect(kind("intCol == inf") == .query)
  }

  @Test func theLargestOfMixedValuesBehindLinksCanBeAsked() {
    #expect(kind("links.@max.anyCol == 1") == nil)
    #expect(kind("stringList.LENGTH == 1") == nil)
  }

  @Test func fractionsStayInLists() throws {
    let bound = try Query.parse("doubleCol IN {1.0, 2.5}").bind(to: dataset.schema, className: "Thing")
    #expect(bound.canonicalText == "doubleCol IN {1.0, 2.5}")
  }
}
