// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

private class FirstSinger: Object {
  @Persisted var firstName: String
  @Persisted var lastName: String
  @Persisted var age: Int
  @Persisted var songs: List<FirstSong>

  override class func _realmObjectName() -> String? { "Singer" }
}

private class FirstSong: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var title: String

  override class func _realmObjectName() -> String? { "Song" }
}

private class SecondSinger: Object {
  @Persisted var fullName: String
  @Persisted var age: String?
  @Persisted var songs: List<SecondSong>

  override class func _realmObjectName() -> String? { "Singer" }
}

private class SecondSong: Object {
  @Persisted(primaryKey: true) var code = "none"
  @Persisted var name: String

  override class func _realmObjectName() -> String? { "Song" }
  override class func propertiesMapping() -> [String: String] { ["name": "label"] }
}

/// The only class of this name.
private class Harpsichord: Object {
  @Persisted var keys: Int
  @Persisted var maker = "Taskin"
}

/// What is written in blocks that are sent elsewhere.
private final class Notes: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Versions of the schema of a local realm, and migrations between them.
@Suite struct MigrationTests {
  let file: LocalFile

  init() throws { file = try LocalFile() }

  private func configuration(_ types: [ObjectBase.Type], version: UInt64, _ block: MigrationBlock? = nil)
    -> Realm.Configuration
  {
    var configuration = file.configuration
    configuration.objectTypes = types
    configuration.schemaVersion = version
    configuration.migrationBlock = block
    return configuration
  }

  private var first: Realm.Configuration { configuration([FirstSinger.self, FirstSong.self], version: 1) }

  private func second(_ block: MigrationBlock? = nil) -> Realm.Configuration {
    configuration([SecondSinger.self, SecondSong.self], version: 2, block)
  }

  /// Writes a singer with two songs.
  private func write() throws {
    let realm = try Realm(configuration: first)
    try realm.write {
      realm.create(
        FirstSinger.self,
        value: [
          "Nina", "Simone", 70,
          [["number": 1, "title": "Feeling Good"], ["number": 2, "title": "Ain't Got No"]],
        ]
      )
    }
  }

  @Test func aBlockConvertsObjects() throws {
    try write()
    let notes = Notes()
    let configuration = second { migration, oldVersion in
      notes.add("\(oldVersion)")
      migration.enumerateObjects(ofType: "Singer") { old, new in
        new?["fullName"] = "\(old?["firstName"] ?? "") \(old?["lastName"] ?? "")"
        new?["age"] = (old?["age"] as? Int).map { "\($0)" }
      }
      migration.enumerateObjects(ofType: "Song") { old, new in
        new?["code"] = (old?["number"] as? Int).map { "S\($0)" }
      }
      migration.renameProperty(onType: "Song", from: "title", to: "label")
      notes.add("\(migration.oldSchema["Song"]?.primaryKeyProperty?.name ?? "")")
      notes.add("\(migration.newSchema["Song"]?.properties.map(\.name) ?? [])")
    }
    let realm = try Realm(configuration: configuration)
    #expect(notes.all == ["1", "number", "[\"code\", \"name\"]"])
    let singer = try #require(realm.objects(SecondSinger.self).first)
    #expect(singer.fullName == "Nina Simone")
    #expect(singer.age == "70")
    #expect(singer.songs.map(\.code) == ["S1", "S2"])
    #expect(realm.object(ofType: SecondSong.self, forPrimaryKey: "S2")?.name == "Ain't Got No")
    #expect(try schemaVersionAtURL(#require(file.configuration.fileURL)) == 2)
  }

  @Test func objectsAreCreatedAndDeletedInABlock() throws {
    try write()
    let configuration = second { migration, _ in
      migration.deleteData(forType: "Singer")
      migration.enumerateObjects(ofType: "Singer") { _, _ in Issue.record("It was deleted.") }
      migration.enumerateObjects(ofType: "Song") { old, new in
        if old?["number"] as? Int == 1, let new { migration.delete(new) }
      }
      let song = migration.create("Song", value: ["code": "S3", "name": "Sinnerman"])
      migration.create("Singer", value: ["fullName": "Nina", "songs": [song]])
      migration.enumerateObjects(ofType: "Nothing") { _, _ in Issue.record("There is no such class.") }
    }
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(SecondSinger.self).map(\.fullName) == ["Nina"])
    #expect(realm.objects(SecondSong.self).map(\.code) == ["", "S3"])
    #expect(realm.objects(SecondSinger.self).first?.songs.first?.name == "Sinnerman")
  }

  @Test func aClassThatIsGoneCanBeReadAndDeleted() throws {
    try write()
    let notes = Notes()
    let configuration = configuration([SecondSinger.self, SecondSong.self, Harpsichord.self], version: 2) {
      migration,
      _ in
      migration.enumerateObjects(ofType: "Harpsichord") { _, _ in Issue.record("It is new.") }
      migration.create("Harpsichord", value: ["keys": 61])
      migration.enumerateObjects(ofType: "Harpsichord") { old, new in
        notes.add("\(old == nil) \(new?["maker"] ?? "")")
      }
      migration.deleteData(forType: "Song")
    }
    _ = try Realm(configuration: configuration)
    let other = self.configuration([Harpsichord.self], version: 3) { migration, _ in
      migration.enumerateObjects(ofType: "Singer") { old, new in
        notes.add("\(old?["songs"] as? List<DynamicObject> != nil) \(new == nil)")
      }
      notes.add("\(migration.deleteData(forType: "Singer")) \(migration.deleteData(forType: "Nothing"))")
    }
    let realm = try Realm(configuration: other)
    #expect(realm.objects(Harpsichord.self).first?.maker == "Taskin")
    #expect(notes.all == ["true Taskin", "true true", "true false"])
  }

  @Test func changesNeedANewVersion() throws {
    try write()
    var configuration = second()
    configuration.schemaVersion = 1
    let mismatch = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
    #expect(mismatch?.code == .schemaMismatch)
    #expect(mismatch?.message.hasPrefix("Migration is required due to the following errors:\n- ") == true)
    #expect(
      mismatch?.message.contains("Primary Key for class 'Song' has changed from 'number' to 'code'.") == true
    )
    configuration.schemaVersion = 0
    let older = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
    #expect(older?.message == "Provided schema version 0 is less than last set version 1.")
    #expect(try Realm(configuration: first).objects(FirstSong.self).count == 2)
  }

  @Test func aBlockThatLeavesTwoObjectsWithOneKeyFailsTheMigration() throws {
    try write()
    let configuration = second { migration, _ in
      migration.enumerateObjects(ofType: "Song") { _, new in new?["code"] = "same" }
    }
    let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
    #expect(error?.code == .schemaMismatch)
    #expect(try Realm(configuration: first).objects(FirstSong.self).map(\.title).first == "Feeling Good")
  }

  @Test func aFileIsEmptiedInsteadOfMigrated() throws {
    try write()
    var configuration = second { _, _ in Issue.record("migrated") }
    configuration.deleteRealmIfMigrationNeeded = true
    let realm = try Realm(configuration: configuration)
    #expect(realm.isEmpty)
    try realm.write { realm.add(SecondSong()) }
    #expect(realm.objects(SecondSong.self).count == 1)
  }

  @Test func performMigrationLeavesTheRealmClosed() throws {
    try write()
    let configuration = second { migration, _ in migration.deleteData(forType: "Song") }
    try Realm.performMigration(for: configuration)
    #expect(try schemaVersionAtURL(#require(file.configuration.fileURL)) == 2)
    #expect(try Realm.deleteFiles(for: file.configuration))
    let error = #expect(throws: Realm.Error.self) {
      try schemaVersionAtURL(try #require(file.configuration.fileURL))
    }
    #expect(error?.code == .invalidDatabase)
    #expect(error?.fileURL == file.configuration.fileURL)
  }

  /// Without `objectTypes`, the classes of the file are found among those of the program.
  @Test func classesOfTheFileAreFoundInTheProgram() throws {
    var configuration = configuration([Harpsichord.self], version: 0)
    let maker = try {
      let realm = try Realm(configuration: configuration)
      return try realm.write { realm.create(Harpsichord.self, value: ["keys": 49]).maker }
    }()
    let notes = Notes()
    configuration.objectTypes = nil
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      notes.add("\(migration.newSchema.objectSchema.map(\.className))")
      notes.add(migration.create("Harpsichord")["maker"] as? String ?? "")
    }
    let realm = try Realm(configuration: configuration)
    #expect(notes.all == ["[\"Harpsichord\"]", maker])
    #expect(realm.schema["Harpsichord"]?.objectClass == Harpsichord.self)
    #expect(realm.objects(Harpsichord.self).count == 2)
  }

  @Test func propertiesThatDoNotExistAreNotRenamed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try LocalFile()
      var configuration = file.configuration
      configuration.objectTypes = [FirstSong.self]
      _ = try Realm(configuration: configuration)
      configuration.schemaVersion = 1
      configuration.migrationBlock = { migration, _ in
        migration.renameProperty(onType: "Song", from: "artist", to: "title")
      }
      _ = try Realm(configuration: configuration)
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(text.contains("Cannot rename property 'Song.artist' because it does not exist."))
  }
}
