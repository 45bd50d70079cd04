// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Shelf: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var label: String
  @Persisted var width: Double?
  @Persisted var material: Priority
  @Persisted var anything: AnyRealmValue
  @Persisted var front: Board?
  @Persisted var books: List<Book>
  @Persisted var colors: MutableSet<String?>
  @Persisted var byName: Map<String, Book?>

  override class func propertiesMapping() -> [String: String] { ["label": "the_label"] }
}

private class Book: Object {
  @Persisted var title: String
  @Persisted(originProperty: "books") var shelves: LinkingObjects<Shelf>
}

private class Board: EmbeddedObject {
  @Persisted var length: Int
}

@Suite struct SchemaTests {
  private let file: LocalFile
  private let realm: Realm

  init() throws {
    file = try LocalFile()
    var configuration = file.configuration
    configuration.objectTypes = [Shelf.self]
    realm = try Realm(configuration: configuration)
  }

  @Test func aRealmHasItsClassesAndThoseTheyLinkTo() throws {
    #expect(realm.schema.objectSchema.map(\.className).sorted() == ["Board", "Book", "Shelf"])
    #expect(realm.schema["Nothing"] == nil && realm.schema["DynamicObject"] == nil)
    let shelf = try #require(realm.schema["Shelf"])
    #expect(shelf.objectClass == Shelf.self && !shelf.isEmbedded && !shelf.isAsymmetric)
    #expect(realm.schema["Board"]?.isEmbedded == true)
    #expect(shelf.primaryKeyProperty?.name == "id" && realm.schema["Book"]?.primaryKeyProperty == nil)
    #expect(shelf["nothing"] == nil)
  }

  @Test func propertiesAreInDeclaredOrder() throws {
    let properties = try #require(realm.schema["Shelf"]).properties
    #expect(
      properties.map(\.name)
        == ["id", "label", "width", "material", "anything", "front", "books", "colors", "byName"]
    )
    #expect(
      properties.map(\.type)
        == [.objectId, .string, .double, .string, .any, .object, .object, .string, .object]
    )
    #expect(properties.filter(\.isIndexed).map(\.name) == ["id", "label"])
    #expect(properties.filter(\.isOptional).map(\.name) == ["width", "front", "colors", "byName"])
    #expect(properties.filter(\.isArray).map(\.name) == ["books"])
    #expect(properties.filter(\.isSet).map(\.name) == ["colors"])
    #expect(properties.filter(\.isMap).map(\.name) == ["byName"])
    #expect(properties.compactMap(\.objectClassName) == ["Board", "Book", "Book"])
    #expect(properties[1].columnName == "the_label" && properties[2].columnName == "width")
  }

  @Test func linkingObjectsAreFoundByNameOnly() throws {
    let book = try #require(realm.schema["Book"])
    #expect(book.properties.map(\.name) == ["title"])
    let shelves = try #require(book["shelves"])
    #expect(shelves.type == .linkingObjects && shelves.objectClassName == "Shelf" && shelves.isArray)
  }

  @Test func objectsKnowTheirSchema() throws {
    let shelf = Shelf()
    #expect(shelf.objectSchema == realm.schema["Shelf"])
    try realm.write { realm.add(shelf) }
    #expect(shelf.objectSchema == Shelf.sharedSchema())
    #expect(Object.sharedSchema() == nil && EmbeddedObject.sharedSchema() == nil)
    #expect(ObjectBase.sharedSchema() == nil && DynamicObject.sharedSchema() == nil)
  }

  @Test func schemasAreEqualIfTheirPropertiesAre() throws {
    var configuration = file.configuration
    configuration.objectTypes = []
    #expect(try Realm(configuration: configuration).schema != realm.schema)
    configuration.objectTypes = [Shelf.self, Book.self]
    #expect(try Realm(configuration: configuration).schema == realm.schema)
    #expect(realm.schema["Shelf"] != realm.schema["Book"])
  }

  @Test func aClassIsAddedWhenItIsFirstUsed() throws {
    let file = try LocalFile()
    let realm = try file.open()
    #expect(realm.schema["Book"]?.objectClass == Book.self, "the schema has the classes of the program")
    #expect(realm.dynamicObjects("Book").isEmpty)
    var looking = file.configuration
    looking.objectTypes = []
    let other = try Realm(configuration: looking)
    #expect(["Board", "Book", "Shelf"].allSatisfy { other.dynamicObjects($0).isEmpty })
  }

  @Test func descriptionsListAllThereIs() throws {
    let expected = """
      Book {
          title {
              type = string;
              columnName = title;
              indexed = NO;
              isPrimary = NO;
              array = NO;
              set = NO;
              dictionary = NO;
              optional = NO;
          }
          shelves {
              type = linking objects;
              objectClassName = Shelf;
              linkOriginPropertyName = books;
              columnName = shelves;
              indexed = NO;
              isPrimary = NO;
              array = YES;
              set = NO;
              dictionary = NO;
              optional = NO;
          }
      }
      """
    let book = try #require(realm.schema["Book"])
    #expect(book.description == expected.replacingOccurrences(of: "    ", with: "\t"))
    let lines = realm.schema.description.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("\t") && !$0.hasPrefix("\t\t") && $0.hasSuffix("{") }.count == 3)
    #expect(lines.contains("\tBoard (embedded) {"))
    #expect(lines.first == "Schema {" && lines.last == "}")
  }
}

private class Crate: Object {
  @Persisted(primaryKey: true) var id: Int
}

/// Another form of `Crate`.
private class CrateWithLid: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var lid: String

  override class func _realmIgnoreClass() -> Bool { true }
  override class func _realmObjectName() -> String? { "Crate" }
}

@Suite struct IgnoredClassTests {
  @Test func anIgnoredClassLeavesItsNameToAnother() throws {
    let file = try LocalFile()
    do {
      let realm = try file.open()
      try realm.write { realm.add(Crate()) }
    }
    #expect(try file.open().schema["Crate"]?.objectClass == Crate.self)
    var configuration = file.configuration
    configuration.objectTypes = [CrateWithLid.self]
    configuration.schemaVersion = 1
    #expect(try Realm(configuration: configuration).objects(CrateWithLid.self).first?.lid == "")
  }
}

private class Draft: Object {
  @Persisted(primaryKey: true) var id: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct ClassOutsideTheDefaultSchemaTests {
  @Test func onlyRealmsThatNameItHaveIt() throws {
    let file = try LocalFile()
    #expect(try file.open().schema["Draft"] == nil)
    let other = try LocalFile()
    var configuration = other.configuration
    configuration.objectTypes = [Draft.self]
    #expect(try Realm(configuration: configuration).schema["Draft"]?.objectClass == Draft.self)
  }
}
