// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

private class Shelf: Object {
  @Persisted var label: String
  @Persisted var books: List<ShelvedBook>

  override class func propertiesMapping() -> [String: String] {
    ["label": "the_label", "books": "the_books"]
  }
}

private class ShelvedBook: Object {
  @Persisted var title: String
  @Persisted var pages: Int
  @Persisted var counts: List<Int>
  @Persisted(originProperty: "books") var shelves: LinkingObjects<Shelf>

  override class func propertiesMapping() -> [String: String] { ["title": "the_title", "pages": "size"] }

  convenience init(_ title: String, _ pages: Int) {
    self.init()
    self.title = title
    self.pages = pages
  }
}

/// Texts name the properties of classes that map them as Swift does, or as the schema does.
@Suite struct SchemaNameTests {
  private let realm: Realm

  init() throws {
    realm = try LocalFile().open()
    let shelf = Shelf()
    shelf.label = "title"
    shelf.books.append(objectsIn: [ShelvedBook("B", 300), ShelvedBook("A", 20), ShelvedBook("A", 7)])
    try realm.write { realm.add(shelf) }
  }

  private var books: Results<ShelvedBook> { realm.objects(ShelvedBook.self) }

  @Test(arguments: ["pages > 100 AND title == 'B'", "size > 100 AND the_title == 'B'"])
  func queriesKnowBothNames(_ query: String) {
    #expect(books.filter(query).map(\.pages) == [300])
  }

  @Test func theArgumentsOfAQueryAreValuesAndNames() {
    #expect(books.filter("%K == %@", "title", "B").count == 1)
    #expect(realm.objects(Shelf.self).filter("label == 'title'").count == 1)
  }

  @Test func pathsLeadThroughLinksAndLinkingObjects() {
    #expect(realm.objects(Shelf.self).filter("ANY books.title == 'A'").count == 1)
    #expect(realm.objects(Shelf.self).filter("books.@max.pages == 300").count == 1)
    #expect(books.filter("ANY shelves.label == 'title'").count == 3)
    #expect(books.filter("shelves.@count == 1").count == 3)
  }

  @Test func variablesOfSubqueriesHaveTheClassOfTheirCollection() {
    let shelves = realm.objects(Shelf.self)
    let found = shelves.filter("SUBQUERY(books, $b, $b.title == $0 AND $b.pages < 10).@count == 1", "A")
    #expect(found.count == 1)
    #expect(shelves.filter("SUBQUERY(books, $b, $b.title == 'C').@count > 0").isEmpty)
  }

  @Test func orderAndDistinctionKnowBothNames() {
    #expect(books.sorted(byKeyPath: "pages").map(\.pages) == [7, 20, 300])
    #expect(books.sorted(byKeyPath: "size", ascending: false).map(\.pages) == [300, 20, 7])
    #expect(books.distinct(by: ["title"]).count == 2 && books.distinct(by: ["the_title"]).count == 2)
    #expect(realm.objects(Shelf.self).first?.books.sorted(byKeyPath: "title").last?.title == "B")
  }

  @Test func conditionsInSwiftAreUnaffected() {
    #expect(books.where { $0.title == "A" && $0.pages == 7 }.count == 1)
    #expect(books.index(matching: { $0.title == "A" }) == 1)
  }

  @Test func dynamicCollectionsOfPlainValuesCanBeCounted() throws {
    let book = try #require(books.first)
    try realm.write { book.counts.append(objectsIn: [1, 2]) }
    #expect(book.dynamicList("counts").count == 2)
  }
}
