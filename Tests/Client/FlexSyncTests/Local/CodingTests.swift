// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

final class Recipe: Object, Codable {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String
  @Persisted var note: String?
  @Persisted var date: Date
  @Persisted var price: Decimal128
  @Persisted var steps: List<String>
  @Persisted var tags: MutableSet<String>
  @Persisted var dates: Map<String, Date>
  @Persisted var source: Recipe?
}

/// Objects and collections as JSON.
@Suite struct CodingTests {
  let encoder = JSONEncoder()
  let decoder = JSONDecoder()

  @Test func objectsOutsideOfRealmsAreEncodedAndDecoded() throws {
    let recipe = Recipe(value: ["_id": 1, "title": "Bread", "steps": ["mix", "bake"], "tags": ["easy"]])
    recipe.date = Date(timeIntervalSinceReferenceDate: 5)
    recipe.price = 1.5
    recipe.dates["best"] = Date(timeIntervalSinceReferenceDate: 7)
    recipe.source = Recipe(value: ["_id": 2, "title": "Dough"])
    let copy = try decoder.decode(Recipe.self, from: try encoder.encode(recipe))
    #expect(copy._id == 1 && copy.title == "Bread" && copy.note == nil && copy.price == 1.5)
    #expect(copy.date == recipe.date && copy.dates["best"] == recipe.dates["best"])
    #expect(
      Array(copy.steps) == ["mix", "bake"] && Array(copy.tags) == ["easy"] && copy.source?.title == "Dough"
    )
  }

  @Test func optionalKeysMayBeMissingAndCollectionsNull() throws {
    let text = """
      {"_id": 3, "title": "Soup", "date": 0, "price": "2.5", "steps": null, "tags": ["a"], "dates": {}}
      """
    let soup = try decoder.decode(Recipe.self, from: Data(text.utf8))
    #expect(soup.note == nil && soup.source == nil && soup.steps.isEmpty && soup.tags.contains("a"))
    let realm = try LocalFile().open()
    try realm.write { realm.add(soup) }
    #expect(realm.object(ofType: Recipe.self, forPrimaryKey: 3)?.price == 2.5)
  }

  @Test func aKeyThatMustBeThereIsMissedAndNullRefused() {
    #expect(throws: DecodingError.self) { try decoder.decode(Recipe.self, from: Data("{}".utf8)) }
    let text = #"{"_id": null, "title": "", "date": 0, "price": 0, "steps": [], "tags": [], "dates": {}}"#
    #expect(throws: DecodingError.self) { try decoder.decode(Recipe.self, from: Data(text.utf8)) }
  }

  @Test func objectsInARealmAreNotEncoded() throws {
    let realm = try LocalFile().open()
    let recipe = Recipe()
    try realm.write {
      realm.add(recipe)
      recipe.steps.append(objectsIn: ["b", "a"])
    }
    #expect(throws: EncodingError.self) { try encoder.encode(recipe) }
    #expect(String(decoding: try encoder.encode(recipe.steps), as: UTF8.self) == #"["b","a"]"#)
    #expect(
      String(decoding: try encoder.encode(recipe.steps.sorted(ascending: true)), as: UTF8.self)
        == #"["a","b"]"#
    )
    #expect(
      String(decoding: try encoder.encode(AnyRealmCollection(recipe.steps)), as: UTF8.self) == #"["b","a"]"#
    )
  }

  @Test func datesInCollectionsFollowTheStrategy() throws {
    encoder.dateEncodingStrategy = .custom { date, encoder in
      try "at \(date.timeIntervalSinceReferenceDate)".encode(to: encoder)
    }
    let recipe = Recipe()
    recipe.dates["a"] = Date(timeIntervalSinceReferenceDate: 1)
    let list: List<Date> = [Date(timeIntervalSinceReferenceDate: 2)]
    #expect(String(decoding: try encoder.encode(recipe.dates), as: UTF8.self) == #"{"a":"at 1.0"}"#)
    #expect(String(decoding: try encoder.encode(list), as: UTF8.self) == #"["at 2.0"]"#)
  }
}
