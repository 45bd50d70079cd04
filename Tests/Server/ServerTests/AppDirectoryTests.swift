// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules

@Suite("Reading an app directory")
struct AppDirectoryTests {
  @Test("The example app has the classes of its clients")
  func example() throws {
    let app = try AppDirectory.load(PackageFolder.taskTracker)
    #expect(app.appID == "tasktracker-abcde")
    #expect(
      app.providers == AuthenticationProviders(allowsAnonymous: true, emailPassword: EmailPasswordProvider())
    )
    #expect(app.schema.classes.map(\.name) == ["Task", "Team"])
    let task = try #require(app.schema["Task"])
    #expect(task.primaryKey == PropertySchema(name: "_id", type: .objectId))
    #expect(
      task.property(named: "assignee") == PropertySchema(name: "assignee", type: .string, isNullable: true)
    )
    #expect(task.property(named: "progressMinutes") == PropertySchema(name: "progressMinutes", type: .int))
    let tasks = PropertySchema(name: "tasks", type: .link, collection: .list, linkTarget: "Task")
    #expect(app.schema["Team"]?.property(named: "tasks") == tasks)
    #expect(
      app.queryableFields(of: task)
        == ["_id", "assignee", "completed", "dueDate", "progressMinutes", "taskName"]
    )
    #expect(app.warnings.isEmpty)
  }

  @Test("Embedded objects, dictionaries, sets and nullable elements become properties")
  func types() throws {
    let directory = App.directory(
      schema: """
        {"title":"Thing","bsonType":"object","required":["_id"],"properties":{
          "_id":{"bsonType":"uuid"},
          "place":{"bsonType":"object","title":"Place","required":["city"],"properties":{"city":{"bsonType":"string"}}},
          "visits":{"bsonType":"array","items":{"bsonType":"object","title":"Visit","properties":{}}},
          "scores":{"bsonType":"object","additionalProperties":{"bsonType":["int","null"]}},
          "tags":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"string"}},
          "any":{"bsonType":"mixed"}}}
        """
    )
    let app = try AppDirectory.load(directory.path)
    let thing = try #require(app.schema["Thing"])
    #expect(
      thing.properties == [
        PropertySchema(name: "place", type: .link, isNullable: true, linkTarget: "Place"),
        PropertySchema(name: "visits", type: .link, collection: .list, linkTarget: "Visit"),
        PropertySchema(name: "scores", type: .int, isNullable: true, collection: .dictionary),
        PropertySchema(name: "tags", type: .string, collection: .set),
        PropertySchema(name: "any", type: .mixed, isNullable: true),
      ]
    )
    #expect(app.schema["Place"]?.kind == .embedded)
    #expect(app.schema["Place"]?.properties == [PropertySchema(name: "city", type: .string)])
  }

  @Test("Every problem names its file and key, and all are reported at once")
  func problems() {
    let directory = App.directory(
      schema: """
        {"title":"Thing","bsonType":"object","properties":{
          "_id":{"bsonType":"double"},"size":{"bsonType":"huge"},"list":{"bsonType":"array"}}}
        """,
      sync:
        #"{"type":"flexible","service_name":"db","database_name":"main","client_max_offline_days":"many"}"#
    )
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(directory.path) }
    let schema = "data_sources/db/main/things/schema.json"
    #expect(
      Set(error?.problems.map { "\($0.file) \($0.key ?? "-")" } ?? []) == [
        "sync/config.json client_max_offline_days",
        "\(schema) properties._id", "\(schema) properties.size", "\(schema) properties.list",
      ]
    )
  }

  @Test("A directory that is none, or has no app in it, is refused")
  func missing() {
    #expect(throws: ConfigurationError.self) { try AppDirectory.load("/nowhere") }
    let empty = TemporaryFolder()
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(empty.path) }
    #expect(error?.description.contains("root_config.json") == true)
  }

  @Test("Broken JSON is reported with its line")
  func brokenJSON() {
    let directory = App.directory(schema: "{\n  \"title\": ")
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(directory.path) }
    #expect(
      error?.problems.contains { $0.file.hasSuffix("schema.json") && $0.message.contains("line 2") } == true
    )
  }
}

/// Small app directories.
enum App {
  static let openRule = """
    {"roles":[{"name":"all","apply_when":{},"document_filters":{"read":true,"write":true},"read":true,"write":true}]}
    """

  static let thingSchema = """
    {"title":"Thing","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"objectId"},
      "owner":{"bsonType":"string"}}}
    """

  static func directory(
    schema: String,
    sync: String = #"{"type":"flexible","state":"enabled","service_name":"db","database_name":"main"}"#
  ) -> TemporaryFolder {
    let directory = TemporaryFolder()
    directory.write(#"{"app_id":"things-abcde","name":"Things"}"#, to: "root_config.json")
    directory.write(#"{"anon-user":{"type":"anon-user","disabled":false}}"#, to: "auth/providers.json")
    directory.write(sync, to: "sync/config.json")
    directory.write(schema, to: "data_sources/db/main/things/schema.json")
    directory.write(openRule, to: "data_sources/db/default_rule.json")
    return directory
  }
}
