// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Versions of the schema of a local realm, and migrations between them.
@Suite struct MigrationTests {
  let folder = TemporaryFolder()

  private var path: String { get throws { folder.file("test.realm") } }

  private func dogs(_ properties: TestProperty...) -> [TestClass] {
    [TestClass(name: "Dog", properties: properties)]
  }

  private let key = TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)
  private let name = TestProperty(name: "name", type: .FLX_TYPE_STRING)
  private let age = TestProperty(name: "age", type: .FLX_TYPE_INT)

  /// Writes a file of version 1 with two dogs.
  private func writeDogs() throws {
    let realm = try TestRealm(path: path, dogs(key, name, age), version: 1)
    try realm.write {
      try realm.create("Dog", .int(1), ["name": .string("Rex"), "age": .int(3)])
      try realm.create("Dog", .int(2), ["name": .string("Ida"), "age": .int(5)])
    }
    realm.release()
  }

  private func readBytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    _ = fread(&bytes, 1, bytes.count, file)
    return bytes
  }

  // MARK: Versions

  @Test func aNewFileGetsTheVersion() throws {
    let realm = try TestRealm(path: path, dogs(key), version: 7) { _, _, _ in Issue.record("migrated") }
    #expect(try realm.schemaVersion == 7)
  }

  @Test func additiveRealmsHaveNoVersionAndStillGrow() throws {
    let realm = try TestRealm(path: path, classes: dogs(key))
    #expect(try realm.schemaVersion == .max)
    realm.release()
    let grown = try TestRealm(path: path, classes: dogs(key, name))
    #expect(try grown.property("Dog", "name").type == .FLX_TYPE_STRING)
    grown.release()
    // From here on, the file has versions, beginning with 0.
    #expect(try TestRealm(path: path, dogs(key, name), version: 0).schemaVersion == 0)
  }

  @Test func aLowerVersionIsRefused() throws {
    try writeDogs()
    let message = expectFailure(.FLX_STATUS_INVALID_SCHEMA_VERSION) {
      _ = try TestRealm(path: path, dogs(key, name, age), version: 0)
    }
    #expect(message == "Provided schema version 0 is less than last set version 1.")
  }

  @Test func changesWithoutANewVersionAreListed() throws {
    try writeDogs()
    let owner = TestProperty(name: "owner", type: .FLX_TYPE_STRING)
    let changed = TestProperty(name: "age", type: .FLX_TYPE_STRING, isNullable: true)
    let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
      _ = try TestRealm(path: path, dogs(key, changed, owner), version: 1)
    }
    #expect(
      message == """
        Migration is required due to the following errors:
        - Property 'Dog.name' has been removed.
        - Property 'Dog.age' has been changed from 'int' to 'string'.
        - Property 'Dog.owner' has been added.
        """
    )
    let keyless = TestProperty(name: "name", type: .FLX_TYPE_STRING, isNullable: true)
    let other = TestProperty(name: "_id", type: .FLX_TYPE_INT)
    let keyMessage = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
      _ = try TestRealm(path: path, dogs(other, keyless, age), version: 1)
    }
    #expect(
      keyMessage == """
        Migration is required due to the following errors:
        - Property 'Dog.name' has been made optional.
        - Primary Key for class 'Dog' has been removed.
        """
    )
    #expect(try TestRealm(path: path, dogs(key, name, age), version: 1).objects("Dog").count == 2)
  }

  @Test func newClassesAndIndexesNeedNoNewVersion() throws {
    try writeDogs()
    let cat = TestClass(name: "Cat", properties: [key])
    var indexed = age
    indexed.isIndexed = true
    let realm = try TestRealm(path: path, dogs(key, name, indexed) + [cat], version: 1)
    #expect(try realm.objects("Dog").count == 2)
    #expect(try realm.objects("Cat").count == 0)
    let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
      let grown = [TestClass(name: "Cat", properties: [key, name])]
      try grown.withC { classes in
        try attempt { flx_realm_add_classes(realm.handle, classes.baseAddress.unsafelyUnwrapped, 1, $0) }
      }
    }
    #expect(message.contains("Property 'Cat.name' has been added."))
  }

  @Test func openHandlesHaveOneVersion() throws {
    let realm = try TestRealm(path: path, dogs(key), version: 1)
    let message = expectFailure(.FLX_STATUS_ALREADY_OPEN) {
      _ = try TestRealm(path: path, dogs(key), version: 2)
    }
    #expect(message.hasSuffix("already opened with different schema version."))
    #expect(try realm.objects("Dog").count == 0)
  }

  @Test func aFileLosesItsClassesInsteadOfBeingMigrated() throws {
    try writeDogs()
    let changed = dogs(key, age)
    let realm = try TestRealm(path: path, changed, version: 1, mode: .FLX_SCHEMA_VERSIONED_OR_RESET)
    #expect(try realm.objects("Dog").count == 0)
    try realm.write { try realm.create("Dog", .int(1), ["age": .int(1)]) }
    realm.release()
    let same = try TestRealm(path: path, changed, version: 1, mode: .FLX_SCHEMA_VERSIONED_OR_RESET)
    #expect(try same.objects("Dog").count == 1)
    same.release()
    let newer = try TestRealm(path: path, changed, version: 2, mode: .FLX_SCHEMA_VERSIONED_OR_RESET)
    #expect(try newer.objects("Dog").count == 0)
    #expect(try newer.schemaVersion == 2)
  }

  @Test func aRealmCanHaveTheClassesOfItsFile() throws {
    try writeDogs()
    let realm = try TestRealm(path: path, [], version: 0, mode: .FLX_SCHEMA_FROM_FILE)
    #expect(try realm.classNames == ["Dog"])
    #expect(try realm.objects("Dog").values("name") == [.string("Rex"), .string("Ida")])
    #expect(try realm.schemaVersion == 1)
  }

  // MARK: Migrations

  @Test func withoutACallbackObjectsKeepWhatHasNotChanged() throws {
    try writeDogs()
    let changed = TestProperty(name: "age", type: .FLX_TYPE_STRING)
    let realm = try TestRealm(path: path, dogs(key, changed), version: 2)
    #expect(try realm.objects("Dog").values("_id") == [.int(1), .int(2)])
    #expect(try realm.objects("Dog").values("age") == [.string(""), .string("")])
    #expect(try realm.schemaVersion == 2)
    #expect(try TestRealm(path: path, dogs(key, changed), version: 2).objects("Dog").count == 2)
  }

  @Test func theCallbackReadsOldObjectsAndWritesNewOnes() throws {
    try writeDogs()
    let text = TestProperty(name: "age", type: .FLX_TYPE_STRING)
    let realm = try TestRealm(path: path, dogs(key, text), version: 2) { before, after, oldVersion in
      #expect(oldVersion == 1)
      #expect(try before.property("Dog", "age").type == .FLX_TYPE_INT)
      for index in 0..<2 {
        let old = try before.objects("Dog").object(at: index)
        let new = try #require(try after.find("Dog", old.get("_id")))
        guard case .int(let age) = try old.get("age") else { return }
        try new.set("age", .string("\(age) years"))
      }
      try after.create("Dog", .int(3), ["age": .string("new")])
      expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try before.objects("Dog").object(at: 0).delete() }
      expectFailure(.FLX_STATUS_UNSUPPORTED) { try before.beginWrite() }
      expectFailure(.FLX_STATUS_UNSUPPORTED) { try after.commit() }
      expectFailure(.FLX_STATUS_UNSUPPORTED) { try attempt { flx_realm_close(after.handle, $0) } }
      #expect(try before.objects("Dog").count == 2)
    }
    #expect(
      try realm.objects("Dog").values("age") == [.string("3 years"), .string("5 years"), .string("new")]
    )
  }

  @Test func aFailingCallbackLeavesTheFileAsItWas() throws {
    try writeDogs()
    let text = TestProperty(name: "age", type: .FLX_TYPE_STRING)
    let message = expectFailure(.FLX_STATUS_CANCELED) {
      _ = try TestRealm(path: path, dogs(key, text), version: 2) { _, after, _ in
        try after.objects("Dog").object(at: 0).delete()
        throw Failure(status: .FLX_STATUS_CANCELED, message: "Not today.")
      }
    }
    #expect(message == "Not today.")
    let realm = try TestRealm(path: path, dogs(key, name, age), version: 1)
    #expect(try realm.objects("Dog").values("age") == [.int(3), .int(5)])
  }

  @Test func aKilledMigrationLeavesTheFileAsItWas() throws {
    try writeDogs()
    let text = TestProperty(name: "age", type: .FLX_TYPE_STRING)
    let copy = folder.file("copy.realm")
    _ = try TestRealm(path: path, dogs(key, text), version: 2) { _, after, _ in
      try after.objects("Dog").object(at: 0).set("age", .string(String(repeating: "x", count: 100_000)))
      for suffix in ["", "-wal"] {
        folder.write(readBytes(try path + suffix), to: "copy.realm\(suffix)")
      }
    }
    let realm = try TestRealm(path: copy, dogs(key, name, age), version: 1)
    #expect(try realm.objects("Dog").values("age") == [.int(3), .int(5)])
  }

  @Test func aPropertyIsRenamed() throws {
    try writeDogs()
    var nullable = name
    nullable.name = "fullName"
    nullable.isNullable = true
    let realm = try TestRealm(path: path, dogs(key, nullable, age), version: 2) { _, after, _ in
      try after.rename("Dog", "name", to: "middleName")
      try after.rename("Dog", "middleName", to: "fullName")
      let failures = [
        ("Cat", "name", "fullName", "Cannot rename properties for type 'Cat' because it does not exist."),
        (
          "Dog", "age", "fullName",
          "Cannot rename property 'Dog.age' to 'fullName' because the source property still exists."
        ),
        ("Dog", "color", "age", "Cannot rename property 'Dog.color' because it does not exist."),
      ]
      for (className, oldName, newName, text) in failures {
        let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
          try after.rename(className, oldName, to: newName)
        }
        #expect(message == text)
      }
    }
    #expect(try realm.objects("Dog").values("fullName") == [.string("Rex"), .string("Ida")])
    expectFailure(.FLX_STATUS_UNSUPPORTED) { try realm.rename("Dog", "name", to: "age") }
  }

  @Test func aPropertyIsNotRenamedToOneOfAnotherType() throws {
    try writeDogs()
    let years = TestProperty(name: "years", type: .FLX_TYPE_STRING)
    let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
      _ = try TestRealm(path: path, dogs(key, name, years), version: 2) { _, after, _ in
        try after.rename("Dog", "age", to: "years")
      }
    }
    #expect(
      message
        == "Cannot rename property 'Dog.age' to 'years' because it would change from type 'int' to 'string'."
    )
  }

  @Test func aClassIsDeleted() throws {
    try writeDogs()
    let cats = [TestClass(name: "Cat", properties: [key])]
    let realm = try TestRealm(path: path, cats, version: 2) { before, after, _ in
      #expect(try before.objects("Dog").count == 2)
      try after.create("Cat", .int(1))
      #expect(try after.deleteClass("Cat"))
      #expect(try after.deleteClass("Dog"))
      #expect(try !after.deleteClass("Cow"))
    }
    #expect(try realm.objects("Cat").count == 0)
    realm.release()
    #expect(try TestRealm(path: path, [], version: 0, mode: .FLX_SCHEMA_FROM_FILE).classNames == ["Cat"])
  }
}

/// Migrations of classes that link to each other, hold each other, or get other primary keys.
@Suite struct LinkMigrationTests {
  let folder = TemporaryFolder()

  private var path: String { get throws { folder.file("test.realm") } }

  private func classes(dogKey: TestProperty?, _ more: [TestProperty] = []) -> [TestClass] {
    let code = TestProperty(name: "code", type: .FLX_TYPE_INT, isPrimaryKey: false)
    let collar = TestProperty(name: "collar", type: .FLX_TYPE_LINK, target: "Collar")
    let dog = [dogKey ?? code].compactMap(\.self) + [collar] + more
    return [
      TestClass(name: "Dog", properties: dog),
      TestClass(
        name: "Collar",
        kind: .FLX_CLASS_EMBEDDED,
        properties: [TestProperty(name: "color", type: .FLX_TYPE_STRING)]
      ),
      TestClass(
        name: "Owner",
        properties: [
          TestProperty(name: "_id", type: .FLX_TYPE_STRING, isPrimaryKey: true),
          TestProperty(name: "dog", type: .FLX_TYPE_LINK, target: "Dog"),
          TestProperty(name: "dogs", type: .FLX_TYPE_LINK, collection: .FLX_COLLECTION_LIST, target: "Dog"),
          TestProperty(name: "any", type: .FLX_TYPE_MIXED),
        ]
      ),
    ]
  }

  private let numberKey = TestProperty(name: "code", type: .FLX_TYPE_INT, isPrimaryKey: true)
  private let textKey = TestProperty(name: "code", type: .FLX_TYPE_STRING, isPrimaryKey: true)

  /// Writes a dog with the number 7 and a collar, and an owner whose properties all lead to it.
  private func write() throws {
    let realm = try TestRealm(path: path, classes(dogKey: numberKey), version: 1)
    try realm.write {
      let dog = try realm.create("Dog", .int(7))
      var collar: OpaquePointer?
      let key = try realm.property("Dog", "collar").key
      try attempt { flx_object_set_embedded(dog.handle, key, &collar, $0) }
      try TestObject(realm, "Collar", try #require(collar)).set("color", .string("red"))
      let owner = try realm.create("Owner", .string("Ann"), ["dog": dog.link, "any": dog.link])
      try owner.list("dogs").insert(dog.link, at: 0)
    }
    realm.release()
  }

  /// Expects that the owner still leads to the dog, whose collar is red.
  private func check(_ realm: TestRealm, code: Cell) throws {
    let owner = try #require(try realm.find("Owner", .string("Ann")))
    let dog = try #require(try realm.linked(owner.get("dog"), "Dog"))
    #expect(try dog.get("code") == code)
    #expect(try realm.linked(owner.get("any"), "Dog")?.link == dog.link)
    #expect(try owner.list("dogs").get(0) == dog.link)
    let collar = try #require(try realm.linked(dog.get("collar"), "Collar"))
    #expect(try collar.get("color") == .string("red"))
  }

  @Test func linksFollowObjectsWhosePrimaryKeyGetsAnotherType() throws {
    try write()
    let realm = try TestRealm(path: path, classes(dogKey: textKey), version: 2) { before, after, _ in
      #expect(try before.objects("Dog").object(at: 0).get("code") == .int(7))
      let dog = try after.objects("Dog").object(at: 0)
      try dog.set("code", .string("seven"))
      try check(after, code: .string("seven"))
    }
    try check(realm, code: .string("seven"))
    #expect(try realm.find("Dog", .string("seven")) != nil)
  }

  @Test func linksFollowObjectsThatLoseOrGetAPrimaryKey() throws {
    try write()
    let keyless = try TestRealm(path: path, classes(dogKey: nil), version: 2)
    try check(keyless, code: .int(7))
    keyless.release()
    let keyed = try TestRealm(path: path, classes(dogKey: numberKey), version: 3)
    try check(keyed, code: .int(7))
    #expect(try keyed.find("Dog", .int(7)) != nil)
  }

  @Test func equalPrimaryKeysAreRefused() throws {
    try write()
    let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
      _ = try TestRealm(path: path, classes(dogKey: textKey), version: 2) { _, after, _ in
        try after.create("Dog", .null)
      }
    }
    #expect(message == "Primary key property 'Dog.code' has duplicate values after migration.")
    try check(try TestRealm(path: path, classes(dogKey: numberKey), version: 1), code: .int(7))
  }

  @Test func embeddedObjectsEndWithTheirProperty() throws {
    try write()
    var changed = classes(dogKey: numberKey)
    changed[0].properties.removeLast()
    let realm = try TestRealm(path: path, changed, version: 2)
    #expect(try realm.objects("Collar").count == 0)
    #expect(try realm.objects("Dog").count == 1)
  }

  @Test func embeddedObjectsFollowARenamedProperty() throws {
    try write()
    var changed = classes(dogKey: numberKey)
    changed[0].properties[1].name = "band"
    let realm = try TestRealm(path: path, changed, version: 2) { _, after, _ in
      try after.rename("Dog", "collar", to: "band")
    }
    let dog = try #require(try realm.find("Dog", .int(7)))
    let band = try #require(try realm.linked(dog.get("band"), "Collar"))
    #expect(try band.get("color") == .string("red"))
    try realm.write { try dog.set("band", .null) }
    #expect(!band.isValid)
  }

  @Test func aClassThatOthersLinkToIsNotDeleted() throws {
    try write()
    let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
      _ = try TestRealm(path: path, [], version: 2) { _, after, _ in _ = try after.deleteClass("Dog") }
    }
    #expect(message.hasPrefix("Class 'Dog' cannot be deleted, because 'Owner."))
  }

  @Test func aClassDoesNotBecomeEmbedded() throws {
    try write()
    var changed = classes(dogKey: numberKey)
    changed[1].kind = .FLX_CLASS_TOP_LEVEL
    changed[0].properties.removeLast()
    expectFailure(.FLX_STATUS_UNSUPPORTED) { _ = try TestRealm(path: path, changed, version: 2) }
  }

  /// Everything that a property can be survives when the table of its class is replaced.
  @Test func allTypesAreCopied() throws {
    let types: [(flx_type_t, Cell)] = [
      (.FLX_TYPE_INT, .int(5)), (.FLX_TYPE_BOOL, .bool(true)), (.FLX_TYPE_STRING, .string("text")),
      (.FLX_TYPE_BINARY, .binary([1, 2])), (.FLX_TYPE_TIMESTAMP, .timestamp(9, 8)),
      (.FLX_TYPE_FLOAT, .float(1.5)),
      (.FLX_TYPE_DOUBLE, .double(2.5)), (.FLX_TYPE_DECIMAL, .decimal("1.50")),
      (.FLX_TYPE_OBJECT_ID, .objectId("0123456789abcdef01234567")), (.FLX_TYPE_MIXED, .bool(true)),
    ]
    func classes(_ isNullable: Bool, _ more: [TestProperty]) -> [TestClass] {
      let singles = types.enumerated().map {
        TestProperty(name: "single\($0.offset)", type: $0.element.0, isNullable: isNullable)
      }
      let lists = types.enumerated().map {
        TestProperty(
          name: "list\($0.offset)",
          type: $0.element.0,
          collection: .FLX_COLLECTION_LIST,
          isNullable: isNullable
        )
      }
      return [TestClass(name: "Thing", properties: singles + lists + more)]
    }
    let gone = TestProperty(name: "gone", type: .FLX_TYPE_INT)
    let realm = try TestRealm(path: path, classes(true, [gone]), version: 1)
    try realm.write {
      for isNull in [false, true] {
        let thing = try realm.create("Thing", .null)
        for (index, type) in types.enumerated() {
          try thing.set("single\(index)", isNull ? .null : type.1)
          try thing.list("list\(index)").insert(isNull ? .null : type.1, at: 0)
        }
      }
    }
    realm.release()
    let migrated = try TestRealm(path: path, classes(false, []), version: 2)
    let (thing, empty) = (
      try migrated.objects("Thing").object(at: 0), try migrated.objects("Thing").object(at: 1)
    )
    for (index, type) in types.enumerated() {
      #expect(try thing.get("single\(index)") == type.1)
      #expect(try thing.list("list\(index)").get(0) == type.1)
      let isMixed = type.0 == .FLX_TYPE_MIXED
      #expect(try (empty.get("single\(index)") == .null) == isMixed)
      #expect(try (empty.list("list\(index)").get(0) == .null) == isMixed)
    }
  }
}
