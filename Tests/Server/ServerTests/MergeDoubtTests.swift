// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncServer

/// Changes with which two peers that follow the protocol end different, and the server repairs it (Docs/Merge.md).
@Suite("What the rules of merging leave open")
struct MergeDoubtTests {
  /// Two changes made at the same time, after one that both know.
  struct Conflict: CustomStringConvertible, Sendable {
    let description: String
    let base: [Instruction]
    let left: [Instruction]
    let right: [Instruction]
  }

  private static let schema = Schema([
    ClassSchema(
      name: "Note",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "text", type: .string),
        PropertySchema(name: "any", type: .mixed, isNullable: true),
        PropertySchema(name: "set", type: .mixed, isNullable: true, collection: .set),
        PropertySchema(
          name: "parts",
          type: .link,
          isNullable: true,
          collection: .dictionary,
          linkTarget: "Part"
        ),
      ]
    ),
    ClassSchema(
      name: "Part",
      kind: .embedded,
      primaryKey: nil,
      properties: [PropertySchema(name: "x", type: .int, isNullable: true)]
    ),
  ])
  private static let note = ObjectReference(table: "Note", key: .int(1))
  private let app = TemporaryFolder()

  init() {
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(
      #"{"type":"flexible","state":"enabled","development_mode_enabled":true,"service_name":"s","database_name":"d"}"#,
      to: "sync/config.json"
    )
    app.write(App.openRule, to: "data_sources/s/default_rule.json")
  }

  private static func path(_ field: String, _ steps: PathElement...) -> PropertyPath {
    PropertyPath(object: note, field: field, path: steps)
  }

  private static func set(_ path: PropertyPath, _ payload: Payload) -> Instruction {
    .update(path, payload, .isDefault(false))
  }

  private static let any = path("any")
  private static let part = path("parts", .name("k"))
  private static let list = [
    set(any, .list), .arrayInsert(any.appending(.index(0)), .value(.int(1)), priorSize: 0),
  ]

  static let conflicts = [
    Conflict(
      description: "a list that is made again, and another value",
      base: list,
      left: [set(any, .list)],
      right: [set(any, .value(.string("x")))]
    ),
    Conflict(
      description: "an embedded object that is created again, and a change inside of it",
      base: [set(part, .object), set(part.appending(.name("x")), .value(.int(1)))],
      left: [set(part, .object)],
      right: [set(part.appending(.name("x")), .value(.int(2)))]
    ),
    Conflict(
      description: "an embedded object that is created twice",
      base: [],
      left: [set(part, .object)],
      right: [set(part, .object), set(part.appending(.name("x")), .value(.int(2)))]
    ),
    Conflict(
      description: "a number that is inserted in two forms",
      base: [],
      left: [.setInsert(path("set"), .value(.int(1)))],
      right: [.setInsert(path("set"), .value(.double(1)))]
    ),
    Conflict(
      description: "a number that is inserted again in another form, and erased",
      base: [.setInsert(path("set"), .value(.int(1)))],
      left: [.setInsert(path("set"), .value(.double(1)))],
      right: [.setErase(path("set"), .value(.double(1)))]
    ),
  ]

  @Test("Clients and server end equal", arguments: conflicts)
  func endEqual(conflict: Conflict) throws {
    for (isLeftLater, isLeftFirst) in [(false, false), (false, true), (true, false), (true, true)] {
      let harness = try Harness(app: app.path)
      let left = try client(harness)
      let right = try client(harness)
      try left.write { try Self.applied([.createObject(Self.note)] + conflict.base, $0) }
      try left.synchronize()
      try right.synchronize()
      left.disconnect()
      right.disconnect()
      // The clocks count writes.
      for _ in 0..<5 {
        try (isLeftLater ? left : right).write(Self.set(Self.path("text"), .value(.string("later"))))
      }
      try left.write { try Self.applied(conflict.left, $0) }
      try right.write { try Self.applied(conflict.right, $0) }
      let order = isLeftFirst ? [left, right] : [right, left]
      for client in order {
        try client.connect()
        try client.synchronize()
      }
      for _ in 0..<2 { for client in order { try client.synchronize() } }
      let expected = try harness.openState().contents(of: "Note")
      for client in order {
        #expect(client.failures.isEmpty)
        #expect(try client.objects.contents(of: "Note") == expected, "\(isLeftLater) \(isLeftFirst)")
      }
    }
  }

  private static func applied(_ changes: [Instruction], _ objects: ObjectStore) throws -> [Instruction] {
    try objects.apply(changes)
    return changes
  }

  private func client(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(#"{"Note":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    return client
  }
}
