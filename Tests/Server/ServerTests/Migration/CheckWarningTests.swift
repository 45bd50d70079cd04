// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Foundation
import Testing

@testable import FlexSyncConfiguration

@Suite("Check: warnings of what operators overlook")
struct CheckWarningTests {
  private static let sync =
    #"{"type":"flexible","state":"enabled","service_name":"db","database_name":"main","#
    + #""queryable_fields_names":["owner"]"#

  private func directory(sync: String = "}", rule: String = App.openRule, providers: String? = nil)
    -> TemporaryFolder
  {
    let directory = App.directory(schema: App.thingSchema, sync: Self.sync + sync)
    directory.write(rule, to: "data_sources/db/default_rule.json")
    if let providers { directory.write(providers, to: "auth/providers.json") }
    return directory
  }

  private func rule(_ applyWhen: String, write: String = "true", more: String = "") -> String {
    #"{"roles":[{"name":"r","apply_when":\#(applyWhen),"document_filters":{"read":true,"write":\#(write)},"#
      + #""read":true,"write":true}\#(more)]}"#
  }

  private func warnings(_ directory: TemporaryFolder) -> [String] {
    let check = AppDirectory.check(directory.path)
    #expect(check.errors.isEmpty)
    return check.warnings.map(\.description)
  }

  private func customData(_ directory: TemporaryFolder) {
    directory.write(
      #"{"enabled":true,"mongo_service_name":"db","database_name":"main","collection_name":"things","user_id_field":"owner"}"#,
      to: "auth/custom_user_data.json"
    )
  }

  @Test("An app without such things has no warnings")
  func none() { #expect(warnings(directory()).isEmpty) }

  @Test(
    "Users who can make their own custom data are told, whatever the role says of their type",
    arguments: [
      ("{}", true), (#"{"%%user.type":"normal"}"#, true),
      (#"{"%%user.type":{"$in":["normal","server"]}}"#, true),
      (#"{"%%user.type":{"$ne":"server"}}"#, true), (#"{"%%user.data.email":"a@example.com"}"#, true),
      (#"{"%%user.custom_data.blocked":{"$ne":true}}"#, true), (#"{"%%user.type":"server"}"#, false),
      (#"{"%%user.custom_data.admin":true}"#, false),
    ]
  )
  func selfMade(applyWhen: String, isTold: Bool) {
    let directory = directory(
      rule: rule(applyWhen, more: ",\(Self.adminRole)")
    )
    customData(directory)
    #expect(warnings(directory).contains { $0.contains("grant themselves permissions") } == isTold)
  }

  private static let adminRole =
    #"{"name":"admin","apply_when":{"%%user.custom_data.admin":true},"document_filters":{"read":true,"write":false},"#
    + #""read":true,"write":false}"#

  @Test(
    "A denial to read that has no effect, because the role has a read or write of its own, is told",
    arguments: [
      (#""read":false,"write":true"#, true), (#""read":false,"write":false"#, false),
      (#""read":false,"fields":{"owner":{"read":false,"write":true}}"#, true),
      (#""write":true,"fields":{"owner":{"read":false}}"#, true),
      (#""write":true,"fields":{"owner":{"fields":{"name":{"read":false}}}}"#, true),
      (#""write":true,"additional_fields":{"read":false}"#, true),
      (#""read":true,"write":true"#, false), (#""write":true"#, false),
    ]
  )
  func uselessDenials(permissions: String, isTold: Bool) {
    let rule =
      #"{"roles":[{"name":"r","apply_when":{},"document_filters":{"read":true,"write":true},\#(permissions)}]}"#
    let told = warnings(directory(rule: rule)).contains { $0.contains("does not keep users from reading") }
    #expect(told == isTold)
  }

  @Test(
    "A denial to read is not told to have no effect where it has one: the role reads more objects than it writes"
  )
  func usefulDenial() {
    let rule =
      #"{"roles":[{"name":"r","apply_when":{},"document_filters":{"read":true,"write":{"owner":"%%user.id"}},"#
      + #""write":true,"fields":{"owner":{"read":true},"other":{"read":false}}}]}"#
    let all = warnings(directory(rule: rule))
    #expect(!all.contains { $0.contains("does not keep users from reading") })
    #expect(all.contains { $0.contains("shows it to nobody with this role") })
  }

  @Test("All fields that a role uses although they are not queryable are told")
  func unqueryableFields() {
    let all = warnings(directory(rule: rule("{}", write: #"{"$or":[{"a":1},{"b":2}]}"#)))
    #expect(all.contains { $0.contains("\"a\"") } && all.contains { $0.contains("\"b\"") })
  }

  @Test(
    "Conditions on custom data that the app does not have are told: those that exclude nobody, and those never true"
  )
  func missingCustomData() {
    let deny = directory(rule: rule(#"{"%%user.custom_data.blocked":{"$ne":true}}"#))
    #expect(warnings(deny).contains { $0.contains("for everybody") })
    let absent = directory(rule: rule(#"{"%%user.custom_data.blocked":{"$exists":false}}"#))
    #expect(warnings(absent).contains { $0.contains("for everybody") })
    let allow = directory(rule: rule(#"{"%%user.custom_data.admin":true}"#))
    #expect(warnings(allow).contains { $0.contains("never true") })
    let filter = directory(rule: rule("{}", write: #"{"owner":"%%user.custom_data.team"}"#))
    #expect(warnings(filter).contains { $0.contains("never true") })
  }

  @Test("Roles that depend on addresses which nobody confirms are told")
  func addresses() {
    let providers = { (confirms: Bool) in
      #"{"local-userpass":{"type":"local-userpass","config":{"autoConfirm":\#(confirms)}}}"#
    }
    let role = rule(#"{"%%user.data.email":"boss@example.com"}"#)
    #expect(
      warnings(directory(rule: role, providers: providers(true))).contains { $0.contains("autoConfirm") }
    )
    #expect(warnings(directory(rule: role, providers: providers(false))).isEmpty)
  }

  @Test("Settings that are dangerous, and unknown ones, are told with what to do")
  func settings() {
    #expect(
      warnings(directory(sync: #","development_mode_enabled":true}"#)).contains { $0.contains("anonymous") }
    )
    #expect(
      warnings(directory(sync: #","is_recovery_mode_disabled":true}"#)).contains { $0.contains("discard") }
    )
    let misspelt = warnings(directory(sync: #","client_max_ofline_days":30,"colour":1}"#))
    #expect(misspelt.contains { $0.contains("If you mean \"client_max_offline_days\"") })
    #expect(misspelt.contains { $0.contains("colour: unknown key") })
  }

  @Test(
    "Permissions of fields that no class of the role has are told, also of fields inside embedded objects"
  )
  func unknownFields() {
    func role(_ fields: String) -> String {
      #"{"roles":[{"name":"r","apply_when":{},"document_filters":{"read":true,"write":true},"fields":{\#(fields)}}]}"#
    }
    let told = warnings(directory(rule: role(#""ownr":{"read":true,"write":true},"owner":{"read":true}"#)))
    #expect(
      told.contains {
        $0.contains(#"permissions of "ownr" have no effect"#) && $0.contains("Correct the name")
      }
    )
    #expect(!told.contains { $0.contains(#"permissions of "owner" have"#) })
    let own = directory()
    own.write(
      role(#""nme":{"read":false}"#).replacing(
        #""fields""#,
        with: #""additional_fields":{"read":true},"fields""#
      ),
      to: "data_sources/db/main/things/rules.json"
    )
    #expect(
      warnings(own).contains {
        $0.contains("things/rules.json") && $0.contains(#"class "Thing" has no such field"#)
      }
    )
    let filter = warnings(directory(rule: rule("{}", write: #"{"ownr":"a"}"#)))
    #expect(filter.contains { $0.contains(#"has no field "ownr""#) })
  }

  @Test(
    "An expansion with a single percent sign is told: as a value it is a text, and as a name it is an error"
  )
  func singlePercent() {
    let value = warnings(directory(rule: rule("{}", write: #"{"owner":"%user.id"}"#)))
    #expect(value.contains { $0.contains(#"write "%%user.id""#) })
    #expect(warnings(directory(rule: rule("{}", write: #"{"owner":"%off"}"#))).isEmpty)
    let name = errors(directory(rule: rule(#"{"%user.id":"a"}"#)))
    #expect(name.contains { $0.contains(#""%%user.id""#) })
  }

  @Test("Roles after one that applies to everybody are told")
  func unreachableRoles() {
    let told = warnings(directory(rule: rule("{}", more: ",\(Self.adminRole)")))
    #expect(told.contains { $0.contains("roles[1]") && $0.contains(#"nobody gets the role "admin""#) })
    let first = rule(#"{"%%user.type":"server"}"#, more: ",\(Self.adminRole)")
    #expect(!warnings(directory(rule: first)).contains { $0.contains("nobody gets") })
  }

  @Test(
    "A collection of custom data that is spelled like none of the app's is told, one that is not synced is not"
  )
  func customDataCollection() {
    func told(_ collection: String, database: String = "main") -> [String] {
      let directory = directory()
      directory.write(
        #"{"enabled":true,"mongo_service_name":"db","database_name":"\#(database)","collection_name":"\#(collection)","#
          + #""user_id_field":"owner"}"#,
        to: "auth/custom_user_data.json"
      )
      return warnings(directory)
    }
    #expect(
      told("thing").contains { $0.contains("collection_name") && $0.contains(#"If you mean "things""#) }
    )
    #expect(
      told("things", database: "mian").contains { $0.contains("database_name") && $0.contains(#""main""#) }
    )
    #expect(told("profiles").isEmpty)
  }

  @Test("Unknown keys of root_config.json are told")
  func rootKeys() {
    let directory = directory()
    directory.write(#"{"app_id":"things-abcde","nme":"Things","colour":1}"#, to: "root_config.json")
    let told = warnings(directory)
    #expect(told.contains { $0.contains("nme: unknown key") && $0.contains(#""name""#) })
    #expect(told.contains { $0.contains("colour: unknown key") })
  }

  private func errors(_ directory: TemporaryFolder) -> [String] {
    AppDirectory.check(directory.path).errors.map(\.description)
  }

  @Test("Misspelled keys that would let in more than was meant are errors")
  func misspelledKeys() {
    let roles = directory(rule: #"{"role":[]}"#)
    #expect(errors(roles).contains { $0.contains("If you mean \"roles\"") })
    let ownRoles = directory()
    ownRoles.write(#"{"Roles":[]}"#, to: "data_sources/db/main/things/rules.json")
    #expect(errors(ownRoles).contains { $0.contains("If you mean \"roles\"") })
    let disabled = directory(providers: #"{"anon-user":{"type":"anon-user","disabld":true}}"#)
    #expect(errors(disabled).contains { $0.contains("If you mean \"disabled\"") })
    let issuer = directory(
      providers: #"{"custom-token":{"type":"custom-token","config":{"isuer":"https://a.example"}}}"#
    )
    #expect(errors(issuer).contains { $0.contains("If you mean \"issuer\"") })
  }

  @Test("Short keys are other keys than those they share a few letters with")
  func shortKeys() {
    let dated = directory(providers: #"{"anon-user":{"type":"anon-user","date":"2020-01-01"}}"#)
    #expect(errors(dated).isEmpty)
    #expect(warnings(dated).contains { $0.contains("date: unknown key; it is ignored. Remove it") })
  }

  @Test("Rules that cannot be read do not count as missing")
  func unreadableRules() throws {
    let link = directory()
    let file = "data_sources/db/main/things/rules.json"
    try FileManager.default.createSymbolicLink(atPath: link.file(file), withDestinationPath: "/nowhere")
    #expect(errors(link).contains { $0.contains("\(file): is not a file that can be read") })
    let folder = directory()
    folder.write("{}", to: "\(file)/a.json")
    #expect(errors(folder).contains { $0.contains("\(file): is not a file that can be read") })
  }

  @Test("A public key is no shared secret")
  func publicKeyAsSecret() {
    let directory = directory(
      providers: """
        {"custom-token":{"type":"custom-token","config":{"audience":"app"},"secret_config":{"signingKeys":["key"]}}}
        """
    )
    let key = "-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----"
    directory.write(#"{"key":"\#(key)"}"#, to: "secrets.json")
    #expect(errors(directory).contains { $0.contains("signingAlgorithm is HS256") })
  }

  @Test(
    "Files beside the right name are told",
    arguments: ["rule.json", "Rules.json", "RULES.JSON", "schemas.json"]
  )
  func names(name: String) {
    let directory = directory()
    directory.write("{}", to: "data_sources/db/main/things/\(name)")
    directory.write("{}", to: "data_sources/db/main/things/notes.json")
    let expected = name == "schemas.json" ? "\"schema.json\"" : "\"rules.json\""
    #expect(warnings(directory).count == 1)
    #expect(warnings(directory).first?.contains("is not read; if you mean \(expected)") == true)
  }

  @Test("A byte order mark is left out and told")
  func byteOrderMark() {
    let directory = directory()
    directory.write("\u{FEFF}\(App.openRule)", to: "data_sources/db/default_rule.json")
    #expect(warnings(directory).map { $0.contains("byte order mark") } == [true])
  }

  @Test("An enabled Data API is listed as not carried over")
  func dataAPI() {
    let directory = directory()
    directory.write(#"{"disabled":true}"#, to: "http_endpoints/data_api_config.json")
    #expect(AppDirectory.check(directory.path).notCarriedOver.isEmpty)
    directory.write(#"{"disabled":false,"versions":["v1"]}"#, to: "http_endpoints/data_api_config.json")
    #expect(AppDirectory.check(directory.path).notCarriedOver.map(\.content) == ["the Data API is"])
  }

  @Test("An export of the years before 2021 is called what it is")
  func olderExports() {
    let folders = TemporaryFolder()
    folders.write(#"{"app_id":"things-abcde","name":"Things"}"#, to: "config.json")
    folders.write("{}", to: "auth_providers/anon-user.json")
    folders.write("{}", to: "services/mongodb-atlas/config.json")
    let version = directory()
    version.write(#"{"app_id":"things-abcde","config_version":20180301}"#, to: "root_config.json")
    for directory in [folders, version] {
      let errors = AppDirectory.check(directory.path).errors
      #expect(errors.count == 1)
      #expect(errors.first?.message.contains("export dates from 2018 to 2021") == true)
      #expect(errors.first?.message.contains("appservices pull") == true)
    }
    let current = directory()
    current.write(#"{"app_id":"things-abcde","config_version":20210101}"#, to: "root_config.json")
    #expect(AppDirectory.check(current.path).errors.isEmpty)
  }
}
