// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Reading rules")
struct RuleReadingTests {
  private static let file = "data_sources/db/main/things/rules.json"

  private func check(
    roles: String,
    sync: String = #"{"service_name":"db","database_name":"main","queryable_fields_names":["owner"]}"#
  ) -> AppCheck {
    let directory = App.directory(schema: App.thingSchema, sync: sync)
    directory.write(#"{"roles":\#(roles)}"#, to: Self.file)
    return AppDirectory.check(directory.path)
  }

  /// A role with one document filter for reading.
  private func filter(_ expression: String) -> AppCheck {
    check(
      roles:
        #"[{"name":"r","apply_when":{},"document_filters":{"read":\#(expression),"write":false},"read":true}]"#
    )
  }

  private func permission(_ check: AppCheck, _ user: UserContext = UserContext(id: "u")) -> ClassPermission? {
    check.app.flatMap { $0.rules.permissions(of: user, schema: $0.schema)["Thing"] }
  }

  @Test(
    "Mistakes are errors with their place",
    arguments: [
      (#"{"owner":{"$equals":1}}"#, "owner.$equals"),
      (#"{"$or":{"owner":1}}"#, "$or"),
      (#"{"$or":[]}"#, "$or"),
      (#"{"$or":[{"owner":{"$in":"x"}}]}"#, "$or[0].owner.$in"),
      (#"{"owner":"%%usr.id"}"#, "owner"),
      (#"{"owner":{"$exists":"maybe"}}"#, "owner.$exists"),
      (#"{"owner":{"$gt":[1]}}"#, "owner.$gt"),
      (#"{"owner":{"$size":-1}}"#, "owner.$size"), (#"{"owner":{"$size":1.5}}"#, "owner.$size"),
      (#"{"owner":{"$elemMatch":"x"}}"#, "owner.$elemMatch"),
      (#"{"owner":{"$elemMatch":{"$size":1}}}"#, "owner.$elemMatch.$size"),
      (#"{"owner":{"%stringToOid":"xyz"}}"#, "owner.%stringToOid"),
      (#"{"owner":"%%user..id"}"#, "owner"),
      (#"{"$unknown":1}"#, "$unknown"),
      ("[1]", ""), ("7", ""), (#""yes""#, ""),
    ]
  )
  func malformed(expression: String, key: String) {
    let check = filter(expression)
    let place = "roles[0].document_filters.read" + (key.isEmpty ? "" : ".\(key)")
    #expect(check.app == nil)
    #expect(check.errors.map(\.file) == [Self.file])
    #expect(check.errors.map(\.key) == [place])
  }

  @Test(
    "What sync cannot do is a warning, and whoever has the role may do nothing",
    arguments: [
      #"{"owner":{"%function":{"name":"f","arguments":[]}}}"#, #"{"%%root.owner":"%%user.id"}"#,
      #"{"owner":{"$regex":"^a"}}"#, #"{"owner":"%%request.remoteIPAddress"}"#, #"{"a.b":1}"#,
      #"{"owner":{"name":"x"}}"#, #"{"owner":"%%user.password"}"#, #"{"%%partition":"x"}"#,
      #"{"hidden":"%%user.id"}"#, #"{"owner":{"$elemMatch":{"name":"x"}}}"#,
    ]
  )
  func incompatible(expression: String) {
    let check = filter(expression)
    #expect(check.errors.isEmpty)
    #expect(
      check.warnings.contains {
        $0.message.contains("not sync-compatible") || $0.message.contains("sync-\ncompatible")
      }
    )
    #expect(permission(check) == nil)
  }

  @Test("Both document filters are needed; permissions are truth values; _id has none")
  func incompatibleRoles() {
    let roles = [
      #"{"name":"r","apply_when":{},"read":true,"write":true}"#,
      #"{"name":"r","apply_when":{},"document_filters":{"read":true},"read":true}"#,
      #"{"name":"r","apply_when":{},"document_filters":{"read":true,"write":true},"read":{"owner":1}}"#,
      #"{"name":"r","apply_when":{},"document_filters":{"read":true,"write":true},"fields":{"_id":{"read":true}}}"#,
      #"{"name":"r","apply_when":{},"document_filters":{"read":true,"write":true},"fields":{"owner":{"read":{}}}}"#,
      #"{"name":"r","apply_when":{"owner":"%%user.id"},"document_filters":{"read":true,"write":true},"read":true}"#,
      #"{"name":"r","apply_when":{"%%true":{"%function":{"name":"f"}}},"document_filters":{"read":true,"write":true}}"#,
    ]
    for role in roles {
      // A later role must not open what the first one, which applies, denies.
      let open =
        #"{"name":"open","apply_when":{},"document_filters":{"read":true,"write":true},"read":true,"write":true}"#
      let check = check(roles: "[\(role),\(open)]")
      #expect(check.errors.isEmpty, "\(role)")
      #expect(check.warnings.contains { $0.key?.hasPrefix("roles[0]") == true }, "\(role)")
      #expect(permission(check) == nil, "\(role)")
    }
  }

  @Test("A class with roles does not look at the default roles; without any role everything is denied")
  func roleSources() throws {
    let named = check(
      roles:
        #"[{"name":"r","apply_when":{"%%user.type":"server"},"document_filters":{"read":true,"write":true}}]"#
    )
    #expect(permission(named) == nil)
    #expect(permission(check(roles: "[]"))?.role == "all")
    let directory = App.directory(schema: App.thingSchema)
    directory.write("{}", to: "data_sources/db/default_rule.json")
    let denied = AppDirectory.check(directory.path)
    #expect(permission(denied) == nil)
    #expect(denied.warnings.contains { $0.message.contains("nobody has access") })
  }

  @Test("Broken files of rules are errors")
  func brokenFiles() {
    for roles in ["{}", "7", "[7]", "[{}]", #"[{"name":"r"}]"#, #"[{"name":7,"apply_when":{}}]"#] {
      #expect(check(roles: roles).app == nil, "\(roles)")
    }
    let twice = #"{"name":"r","apply_when":{},"document_filters":{"read":true,"write":true}}"#
    #expect(check(roles: "[\(twice),\(twice)]").errors.map(\.key) == ["roles[1].name"])
    let deep = String(repeating: #"{"$not":"#, count: 200) + "true" + String(repeating: "}", count: 200)
    #expect(filter(deep).errors.count == 1)
  }

  @Test("A condition that can never be true because of its type is a warning with the remedy")
  func mismatch() {
    let directory = App.directory(schema: App.thingSchema)
    directory.write(
      #"{"roles":[{"name":"r","apply_when":{},"document_filters":{"read":{"_id":"%%user.id"},"write":false}}]}"#,
      to: Self.file
    )
    let warnings = AppDirectory.check(directory.path).warnings
    #expect(warnings.contains { $0.message.contains("%stringToOid") })
  }

  @Test("Write implies read, of objects and of fields")
  func writeImpliesRead() throws {
    let schema = App.thingSchema.replacing(
      #""owner":{"bsonType":"string"}"#,
      with:
        #""owner":{"bsonType":"string"},"secret":{"bsonType":"string"}"#
    )
    func permission(_ role: String) throws -> ClassPermission {
      let directory = App.directory(
        schema: schema,
        sync: #"{"service_name":"db","database_name":"main","queryable_fields_names":["owner"]}"#
      )
      directory.write(#"{"roles":[{"name":"r","apply_when":{},\#(role)}]}"#, to: Self.file)
      return try #require(self.permission(AppDirectory.check(directory.path)))
    }
    let own = #""document_filters":{"read":false,"write":{"owner":"%%user.id"}}"#
    let wide = try permission(#"\#(own),"read":true,"write":true"#)
    #expect(wide.read == wide.write && wide.read != .never)
    let writeOnly = try permission(#"\#(own),"fields":{"owner":{"write":true}}"#)
    #expect(writeOnly.read == writeOnly.write)
    #expect(writeOnly.readableFields == .only(["owner"]))
    #expect(writeOnly.delete == .never)
    // The secret could be read only in one's own objects, which one set of fields for all cannot say: it is written only.
    let mixed = try permission(
      #""document_filters":{"read":true,"write":{"owner":"%%user.id"}},"fields":{"secret":{"write":true},"owner":{"read":true}}"#
    )
    #expect(mixed.readableFields == .only(["owner"]))
    #expect(mixed.writableFields == .only(["secret"]))
    let blind = try permission(
      #"\#(own),"fields":{"secret":{"read":false,"write":true},"owner":{"write":true}}"#
    )
    #expect(blind.readableFields == .only(["owner"]))
    #expect(blind.writableFields == .only(["owner", "secret"]))
    // Permissions of the document hide those of fields.
    let hidden = try permission(
      #""document_filters":{"read":true,"write":true},"read":true,"write":false,"fields":{"secret":{"read":false}}"#
    )
    #expect(hidden.readableFields == .all)
    #expect(hidden.write == .never)
  }

  @Test("Fields inside of embedded objects have permissions of their own, at any depth")
  func nestedFields() throws {
    let country =
      #"{"bsonType":"object","title":"Country","properties":{"name":{"bsonType":"string"},"tax":{"bsonType":"int"}}}"#
    let address =
      #"{"bsonType":"object","title":"Address","properties":{"street":{"bsonType":"string"},"code":{"bsonType":"string"},"country":\#(country)}}"#
    let schema = App.thingSchema.replacing(
      #""owner":{"bsonType":"string"}"#,
      with:
        #""owner":{"bsonType":"string"},"home":\#(address),"others":{"bsonType":"array","items":\#(address)}"#
    )
    let directory = App.directory(schema: schema)
    let nested =
      #"{"fields":{"street":{"read":true,"write":true},"code":{"read":true},"country":{"fields":{"name":{"write":true}}}}}"#
    let fields = #"{"home":\#(nested),"others":\#(nested),"owner":{"fields":{"x":{"read":true}}}}"#
    directory.write(
      #"{"roles":[{"name":"r","apply_when":{},"document_filters":{"read":true,"write":true},"fields":\#(fields)}]}"#,
      to: Self.file
    )
    let check = AppDirectory.check(directory.path)
    let permission = try #require(self.permission(check))
    func path(_ field: String, _ steps: PathElement...) -> PropertyPath {
      PropertyPath(object: ObjectReference(table: "Thing", key: .int(1)), field: field, path: steps)
    }
    let places: [(PropertyPath, String)] = [
      (path("home"), "RW"), (path("home", .name("street")), "RW"), (path("home", .name("code")), "R-"),
      (path("home", .name("country")), "RW"), (path("home", .name("country"), .name("name")), "RW"),
      (path("home", .name("country"), .name("tax")), "--"), (path("home", .name("other")), "--"),
      (path("others", .index(3), .name("code")), "R-"), (path("others", .index(3)), "RW"),
      (path("others", .index(3), .name("country"), .name("tax")), "--"), (path("owner"), "--"),
    ]
    for (place, letters) in places {
      let found =
        (permission.readableFields.includes(place) ? "R" : "-")
        + (permission.writableFields.includes(place) ? "W" : "-")
      #expect(found == letters, "\(place)")
    }
    #expect(permission.delete == .never)
    #expect(
      check.warnings.contains {
        $0.message.contains("\"owner\" of class \"Thing\" does not hold embedded objects")
      }
    )
    // What is kept of it is read again as it was.
    let kept = ViewPermissions(Permissions(classes: ["Thing": permission]), of: ["Thing"])
    #expect(try ViewPermissions(text: kept.text) == kept)
  }
}
