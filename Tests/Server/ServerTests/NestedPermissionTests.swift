// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncRules

@Suite("Permissions of fields inside of embedded objects")
struct NestedPermissionTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Contact",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "name", type: .string, isNullable: true),
        PropertySchema(name: "home", type: .link, isNullable: true, linkTarget: "Address"),
        PropertySchema(name: "others", type: .link, collection: .list, linkTarget: "Address"),
        PropertySchema(
          name: "places",
          type: .link,
          isNullable: true,
          collection: .dictionary,
          linkTarget: "Address"
        ),
      ]
    ),
    ClassSchema(
      name: "Address",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "street", type: .string, isNullable: true),
        PropertySchema(name: "number", type: .int, isNullable: true),
        PropertySchema(name: "secret", type: .string, isNullable: true),
        PropertySchema(name: "country", type: .link, isNullable: true, linkTarget: "Country"),
      ]
    ),
    ClassSchema(
      name: "Country",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "name", type: .string, isNullable: true),
        PropertySchema(name: "secret", type: .string, isNullable: true),
      ]
    ),
  ])

  /// Secrets are hidden; numbers are only read. At all places.
  private static let permission: ClassPermission = {
    func access(isWriting: Bool) -> FieldAccess {
      var address = FieldAccess.allExcept(isWriting ? ["secret", "number"] : ["secret"])
      address.set("country", to: .allExcept(["secret"]))
      var contact = FieldAccess.all
      for name in ["home", "others", "places"] { contact.set(name, to: address) }
      return contact
    }
    guard let contact = schema["Contact"] else { preconditionFailure("there is no class Contact") }
    return ClassPermission(
      role: "member",
      read: .always,
      write: .always,
      delete: .never,
      readableFields: access(isWriting: false).fitted(to: contact, schema),
      writableFields: access(isWriting: true).fitted(to: contact, schema)
    )
  }()

  private let app = TemporaryFolder()
  private let table = PermissionTable()
  private let harness: Harness
  private let admin: SyncClient
  private let member: SyncClient

  init() throws {
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(
      #"{"type":"flexible","state":"enabled","development_mode_enabled":true,"service_name":"s","database_name":"d"}"#,
      to: "sync/config.json"
    )
    app.write(App.openRule, to: "data_sources/s/default_rule.json")
    harness = try Harness(app: app.path, permissions: table)
    func client(_ harness: Harness, _ tokens: Harness.Tokens) throws -> SyncClient {
      let client = try SyncClient(harness, tokens: tokens, schema: Self.schema)
      try client.connect()
      client.subscribe(#"{"Contact":"(TRUEPREDICATE)"}"#)
      try client.synchronize()
      return client
    }
    admin = try client(harness, try harness.logIn())
    let tokens = try harness.logIn()
    table.users[tokens.userID] = Permissions(classes: ["Contact": Self.permission])
    member = try client(harness, tokens)
  }

  private func path(_ field: String, _ steps: PathElement...) -> PropertyPath {
    PropertyPath(object: ObjectReference(table: "Contact", key: .int(1)), field: field, path: steps)
  }

  private func set(_ path: PropertyPath, _ name: String, _ value: Value, isDefault: Bool = false)
    -> Instruction
  {
    .update(path.appending(.name(name)), .value(value), .isDefault(isDefault))
  }

  private func write(_ client: SyncClient, _ instructions: [Instruction]) throws {
    try client.write { objects in
      try objects.apply(instructions)
      return instructions
    }
    for client in [client, admin, member] { try client.synchronize() }
  }

  /// What may be seen is decided here by names alone.
  private func expectStates(_ words: String = "") throws {
    let state = try harness.openState().contents(of: "Contact")
    #expect(try admin.objects.contents(of: "Contact") == state, "\(words)")
    let visible = state.mapValues { $0.filter { $0.path.map { !$0.dottedName.hasSuffix("secret") } ?? true } }
    #expect(try member.objects.contents(of: "Contact") == visible, "\(words)")
    #expect(admin.failures.isEmpty && member.failures.isEmpty, "\(words)")
  }

  /// A contact with an address in each kind of place.
  private func fill() throws {
    var instructions: [Instruction] = [.createObject(path("home").object)]
    for place in [path("home"), path("others", .index(0)), path("places", .name("k"))] {
      let isElement = place.field == "others"
      instructions.append(
        isElement ? .arrayInsert(place, .object, priorSize: 0) : .update(place, .object, .isDefault(false))
      )
      instructions += [
        set(place, "street", .string("s")), set(place, "number", .int(1)), set(place, "secret", .string("x")),
        .update(place.appending(.name("country")), .object, .isDefault(false)),
        set(place.appending(.name("country")), "name", .string("Peru")),
        set(place.appending(.name("country")), "secret", .string("y")),
      ]
    }
    try write(admin, instructions)
  }

  private var places: [PropertyPath] {
    [path("home"), path("others", .index(0)), path("places", .name("k"))]
  }

  @Test("Hidden fields are in no bootstrap and no change, at any depth")
  func reading() throws {
    try fill()
    try expectStates("live")
    for place in places {
      var sent: [Instruction] = []
      member.onChangeset = { sent += $0 }
      try write(admin, [set(place, "secret", .string("z"))])
      try write(admin, [set(place.appending(.name("country")), "secret", .string("z"))])
      #expect(sent.isEmpty)
      try write(admin, [set(place, "secret", .string("w")), set(place, "number", .int(7))])
      #expect(sent == [set(place, "number", .int(7))])
    }
    try expectStates("changes")
    member.subscribe("{}")
    try member.synchronize()
    member.subscribe(#"{"Contact":"(TRUEPREDICATE)"}"#)
    try member.synchronize()
    try expectStates("bootstrap")
  }

  @Test("Only the fields that a write touches are judged")
  func writing() throws {
    try fill()
    for place in places {
      let countBefore = member.rejections.count
      let country = place.appending(.name("country"))
      try write(member, [set(place, "street", .string("mine")), set(country, "name", .string("Chile"))])
      // What changes nothing is left out, as are defaults.
      try write(member, [set(place, "number", .int(1)), set(place, "street", .string("again"))])
      try write(member, [set(place, "secret", .string(""), isDefault: true)])
      #expect(member.rejections.count == countBefore, "\(member.rejections)")
      try expectStates("\(place)")
      for change in [
        set(place, "number", .int(2)), set(place, "secret", .string("mine")),
        set(place, "secret", .string("x")),
        set(country, "secret", .string("y")),
      ] {
        let count = member.rejections.count
        try write(member, [change])
        #expect(member.rejections.count == count + 1, "\(change)")
        try expectStates("\(change)")
      }
    }
  }

  @Test("Embedded objects can be added, and not taken away with what may not be written in them")
  func containers() throws {
    try fill()
    let others = path("others")
    func new(_ index: UInt32, _ count: UInt32) -> [Instruction] {
      let place = others.appending(.index(index))
      return [
        .arrayInsert(place, .object, priorSize: count), set(place, "street", .string("new")),
        set(place, "secret", .string("default"), isDefault: true),
        set(place, "number", .null), set(place, "country", .null),
      ]
    }
    let entry = path("places", .name("n"))
    try write(member, new(0, 1))
    try write(member, [.arrayMove(others.appending(.index(0)), to: 1, priorSize: 2)])
    // As SDKs write what is nil in new objects.
    try write(
      member,
      [
        .update(entry, .object, .isDefault(false)), set(entry, "street", .string("n")),
        set(entry, "secret", .null), set(entry, "country", .null),
      ]
    )
    #expect(member.rejections.isEmpty, "\(member.rejections)")
    try expectStates("added")
    let removals: [[Instruction]] = [
      [.update(path("home"), .value(.null), .isDefault(false))],
      [.arrayErase(others.appending(.index(0)), priorSize: 2)], [.clear(others, .list)],
      [.update(path("places", .name("k")), .erased, .isDefault(false))],
      [.update(path("places", .name("k")), .object, .isDefault(false))],
      [.update(path("home", .name("country")), .value(.null), .isDefault(false))],
    ]
    for (number, removal) in removals.enumerated() {
      try write(member, removal)
      #expect(member.rejections.count == number + 1, "\(removal)")
      try expectStates("\(removal)")
    }
  }
}
