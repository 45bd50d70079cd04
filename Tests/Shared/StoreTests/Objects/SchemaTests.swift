// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

@Suite struct SchemaTests {
  private let key = PropertySchema(name: "_id", type: .int)

  @Test func declarationsAreStoredAndMayBeRepeated() throws {
    let folder = TemporaryFolder()
    do {
      let store = try ObjectStore(try folder.open())
      try store.database.write { try store.declare(taskSchema) }
      try store.database.write { try store.declare(taskSchema) }
    }
    #expect(try ObjectStore(try folder.open()).schema == taskSchema)
  }

  @Test func aDifferentTypeIsAConflictThatNamesTheProperty() throws {
    let store = try taskStore()
    let changed = PropertySchema(name: "title", type: .int, isNullable: true)
    let error = #expect(throws: StorageError.self) { try store.declareProperty(changed, of: "Task") }
    #expect(error?.kind == .schemaConflict)
    #expect(error?.message.contains("'Task.title'") == true)
    #expect(error?.message.contains("string, not int?") == true)
  }

  @Test func embeddedClassesWithKeysAndSetsOfEmbeddedObjectsAreRefused() throws {
    let store = try contactStore()
    let key = PropertySchema(name: "_id", type: .int)
    let classError = #expect(throws: StorageError.self) {
      try store.declare(ClassSchema(name: "Inner", kind: .embedded, primaryKey: key, properties: []))
    }
    #expect(classError?.kind == .unsupportedSchema)
    let set = PropertySchema(name: "set", type: .link, collection: .set, linkTarget: "Address")
    let setError = #expect(throws: StorageError.self) { try store.declareProperty(set, of: "Contact") }
    #expect(setError?.kind == .unsupportedSchema)
  }

  @Test func namesThatSQLiteCannotTellApartGetColumnsOfTheirOwn() throws {
    let names = ["title", "TITLE", "flx_row", "due", "due$ns", "a\"b", "", "rowid", "select"]
    let schema = Schema([
      ClassSchema(
        name: "flx_classes",
        primaryKey: key,
        properties: names.map { PropertySchema(name: $0, type: $0 == "due" ? .timestamp : .string) }
      ),
      ClassSchema(name: "FLX_CLASSES", primaryKey: key, properties: []),
      ClassSchema(name: "A.b", primaryKey: key, properties: []),
      ClassSchema(
        name: "A",
        primaryKey: key,
        properties: [PropertySchema(name: "b", type: .int, collection: .list)]
      ),
    ])
    let store = try ObjectStore.inMemory()
    try store.database.beginWrite()
    try store.declare(schema)
    #expect(try store.schema == schema)
    let table = try #require(try store.table(named: "flx_classes"))
    let row = try store.create(.int(1), in: table).row
    for name in names where name != "due" {
      try store.set(.string(name), row: row, try store.column("flx_classes", name))
    }
    for name in names where name != "due" {
      #expect(try store.value(row: row, try store.column("flx_classes", name)) == .string(name))
    }
  }

  @Test func aPropertyAddedLaterHasZeroInOldObjects() throws {
    let store = try taskStore()
    try store.apply(.createObject(task(1)))
    try store.declareProperty(PropertySchema(name: "score", type: .double), of: "Task")
    try store.declareProperty(PropertySchema(name: "owner", type: .objectId), of: "Task")
    try store.declareProperty(PropertySchema(name: "start", type: .timestamp), of: "Task")
    #expect(try store.read(task(1), "score") == .double(0))
    #expect(try store.read(task(1), "owner") == .objectId(ObjectId(high: 0, low: 0)))
    #expect(try store.read(task(1), "start") == .timestamp(.epoch))
    try store.apply(.createObject(task(2)))
    #expect(try store.read(task(2), "score") == .double(0))
  }

  @Test func anotherConnectionSeesNewDeclarationsInItsNextTransaction() throws {
    let folder = TemporaryFolder()
    let first = try ObjectStore(try folder.open())
    let second = try ObjectStore(try folder.open())
    try second.database.beginRead()
    #expect(try second.table(named: "Task") == nil)
    try first.database.write { try first.declare(taskSchema) }
    #expect(try second.table(named: "Task") == nil)
    try second.database.endRead()
    let seen = try second.database.read { try second.schema }
    #expect(seen == taskSchema)
  }

  @Test func aRollbackTakesDeclarationsBack() throws {
    struct Stop: Error {}
    let store = try ObjectStore.inMemory()
    #expect(throws: Stop.self) {
      try store.database.write {
        try store.declare(taskSchema)
        throw Stop()
      }
    }
    #expect(try store.schema.isEmpty)
    try store.database.write { try store.declare(taskSchema) }
    #expect(try store.schema == taskSchema)
  }

  @Test func anIndexCanBeAddedLater() throws {
    let store = try taskStore()
    let column = try store.column("Task", "title")
    try store.declareProperty(PropertySchema(name: "title", type: .string, isIndexed: true), of: "Task")
    #expect(column.schema.isIndexed)
    #expect(
      try store.database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'flx_index_3_1'") == 1
    )
  }
}
