// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules
@testable import FlexSyncServerSupport

@Suite("Values, environments, providers and what is not carried over")
struct ConfigurationTests {
  private static let rule =
    #"{"roles":[{"name":"r","apply_when":{},"document_filters":{"read":{"owner":"%%values.x"},"write":{"owner":"%%environment.values.y"}},"read":true,"write":true}]}"#

  @Test("Values and the environment's values stand in rules, secrets too if they are there")
  func values() throws {
    let directory = App.directory(
      schema: App.thingSchema,
      sync: #"{"service_name":"db","database_name":"main","queryable_fields_names":["owner"]}"#
    )
    directory.write(
      #"{"app_id":"a","name":"%(%%environment.values.title) app","environment":"qa"}"#,
      to: "root_config.json"
    )
    directory.write(#"{"values":{"y":"yes","title":"Quality"}}"#, to: "environments/qa.json")
    directory.write(#"{"name":"x","from_secret":true,"value":"key"}"#, to: "values/x.json")
    directory.write("shared\n", to: "secrets/key")
    directory.write(Self.rule, to: "data_sources/db/default_rule.json")
    let app = try AppDirectory.load(directory.path)
    #expect(app.name == "Quality app")
    #expect(app.rules.values == ["x": "shared"])
    #expect(app.rules.environment == ["tag": "qa", "values": ["y": "yes", "title": "Quality"]])
  }

  @Test("Values that are missing are warned of, templates that stand for nothing are errors")
  func missingValues() {
    let directory = App.directory(
      schema: App.thingSchema,
      sync: #"{"service_name":"db","database_name":"main","queryable_fields_names":["owner"]}"#
    )
    directory.write(Self.rule, to: "data_sources/db/default_rule.json")
    let warnings = AppDirectory.check(directory.path).warnings.map(\.message)
    #expect(warnings.contains { $0.contains("%%values.x, which role") })
    #expect(warnings.contains { $0.contains("%%environment.values.y, which role") })
    directory.write(#"{"app_id":"a","name":"%(%%environment.values.title)"}"#, to: "root_config.json")
    let errors = AppDirectory.check(directory.path).errors
    #expect(errors.map { "\($0.file) \($0.key ?? "")" } == ["root_config.json name"])
  }

  @Test("All providers are read with their settings")
  func providers() throws {
    let notes = try AppDirectory.load(RuledApp.directory("SharedNotes")).providers
    #expect(notes.allowsAPIKeys && !notes.allowsAnonymous && notes.emailPassword == nil)
    #expect(
      notes.customToken
        == CustomTokenProvider(
          algorithm: "HS256",
          signingKeys: ["0123456789abcdef0123456789abcdef"],
          audiences: ["notes"],
          metadataFields: [
            MetadataField(path: "email", fieldName: "email", isRequired: true),
            MetadataField(path: "account.plan"),
          ]
        )
    )
    let people = try AppDirectory.load(RuledApp.directory("People")).providers
    #expect(people.customToken?.audiences == ["people", "people-admin"])
    #expect(people.customToken?.acceptsAnyAudience == true)
    #expect(people.customToken?.keySet?.contains("\"k1\"") == true)
    let groceries = try AppDirectory.load(RuledApp.directory("Groceries")).providers
    #expect(groceries.allowsAnonymous && groceries.notCarriedOver == ["oauth2-google"])
    #expect(
      groceries.emailPassword
        == EmailPasswordProvider(
          confirmsAutomatically: false,
          confirmationURL: "https://groceries.example.com/confirm",
          confirmationSubject: "Welcome",
          resetURL: "https://groceries.example.com/reset",
          resetSubject: "New password"
        )
    )
    let service = try AppDirectory.load(RuledApp.directory("FieldService")).providers
    #expect(!service.allowsAnonymous && service.allowsAPIKeys)
    #expect(service.emailPassword?.confirmsAutomatically == true)
  }

  @Test("What is not carried over is listed with the consequence and what can be done")
  func notCarriedOver() throws {
    let parts = try AppDirectory.load(RuledApp.directory("FieldService")).notCarriedOver
    #expect(
      parts.map(\.file) == ["functions", "triggers", "auth/custom_user_data.json", "auth/providers.json"]
    )
    #expect(parts.allSatisfy { !$0.consequence.isEmpty && !$0.advice.isEmpty })
    let notes = try AppDirectory.load(RuledApp.directory("SharedNotes")).notCarriedOver
    #expect(
      notes.map(\.file) == [
        "functions", "https_endpoints", "log_forwarders",
        "data_sources/mongodb-atlas/notes/Task/rules.json",
      ]
    )
  }

  @Test("Names that lead out of the directory are refused")
  func names() {
    for service in ["..", "a/../../b", "", "."] {
      let directory = App.directory(
        schema: App.thingSchema,
        sync: #"{"service_name":"\#(service)x/..","database_name":"main"}"#
      )
      #expect(AppDirectory.check(directory.path).app == nil)
    }
    let directory = App.directory(schema: App.thingSchema)
    directory.write(#"{"name":"x","from_secret":true,"value":"../token.key"}"#, to: "values/x.json")
    #expect(AppDirectory.check(directory.path).errors.map(\.key) == ["value"])
  }

  @Test("No damage to a file of an app directory does more than an error or a warning")
  func damage() throws {
    var random = SeededGenerator(seed: 7)
    let files = [
      ".mdb/meta.json", "root_config.json", "auth/providers.json", "auth/custom_user_data.json",
      "sync/config.json",
      "data_sources/mongodb-atlas/service/Job/rules.json",
      "data_sources/mongodb-atlas/service/Job/schema.json",
      "data_sources/mongodb-atlas/staff/Staff/rules.json", "data_sources/mongodb-atlas/default_rule.json",
      "data_sources/mongodb-atlas/service/Job/relationships.json",
    ]
    let source = RuledApp.directory("FieldService")
    let directory = TemporaryFolder()
    var texts: [String: JSON] = [:]
    let folder = "data_sources/mongodb-atlas/service"
    for file in files + ["data_sources/mongodb-atlas/staff/Staff/schema.json", "\(folder)/Site/schema.json"] {
      let json = try JSON.parse(try FileSystem.contents(of: "\(source)/\(file)"))
      texts[file] = json
      directory.write(json.serialized, to: file)
    }
    #expect(AppDirectory.check(directory.path).app != nil)
    for _ in 0..<300 {
      let file = files[Int.random(in: 0..<files.count, using: &random)]
      let json = try #require(texts[file])
      directory.write(json.damaged(using: &random).serialized, to: file)
      let check = AppDirectory.check(directory.path)
      #expect(check.app != nil || !check.errors.isEmpty)
      if let app = check.app {
        _ = app.rules.permissions(of: UserContext(id: "u"), schema: app.schema)
      }
      directory.write(json.serialized, to: file)
    }
  }
}

extension JSON {
  /// The value with something else in one place.
  fileprivate func damaged(using random: inout SeededGenerator) -> JSON {
    let others: [JSON] = [
      nil, true, 7, -1, 1e300, "", "%%user.id", "%(x)", .array([]), .object([]), ["$oid": 1],
    ]
    switch self {
    case .array(let elements) where !elements.isEmpty && Int.random(in: 0..<5, using: &random) > 0:
      var elements = elements
      let index = Int.random(in: 0..<elements.count, using: &random)
      elements[index] = elements[index].damaged(using: &random)
      return .array(elements)
    case .object(let members) where !members.isEmpty && Int.random(in: 0..<5, using: &random) > 0:
      var members = members
      let index = Int.random(in: 0..<members.count, using: &random)
      if Int.random(in: 0..<6, using: &random) == 0 {
        members.remove(at: index)
      } else {
        members[index].value = members[index].value.damaged(using: &random)
      }
      return .object(members)
    default: return others[Int.random(in: 0..<others.count, using: &random)]
    }
  }
}
