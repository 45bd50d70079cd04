// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel
import FlexSyncStore
import Testing

@testable import FlexSyncDocuments

@Suite("Dictionary keys and strings that Realm's clients fail on")
struct DictionaryKeyTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Box",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "counts", type: .int, collection: .dictionary),
        PropertySchema(name: "any", type: .mixed, isNullable: true),
        PropertySchema(
          name: "parts",
          type: .link,
          isNullable: true,
          collection: .dictionary,
          linkTarget: "Part"
        ),
        PropertySchema(name: "part", type: .link, isNullable: true, linkTarget: "Part"),
      ]
    ),
    ClassSchema(
      name: "Part",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "counts", type: .int, collection: .dictionary),
        PropertySchema(name: "size", type: .int, isNullable: true),
      ]
    ),
  ])
  private static let everything = #"{"Box":"(TRUEPREDICATE)"}"#
  private static let keys = ["$x", "$", "a.b", ".", "a\u{0}b"]

  private func client(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(Self.everything)
    try client.synchronize()
    return client
  }

  private func box(_ key: Int64) -> ObjectReference { ObjectReference(table: "Box", key: .int(key)) }

  private func path(_ key: Int64, _ field: String, _ steps: PathElement...) -> PropertyPath {
    PropertyPath(object: box(key), field: field, path: steps)
  }

  private func set(_ path: PropertyPath, _ payload: Payload = .value(.int(1))) -> Instruction {
    .update(path, payload, .isDefault(false))
  }

  /// Writes of a key wherever keys can be.
  private func writes(_ key: String) -> [[Instruction]] {
    [
      [set(path(1, "counts", .name(key)))],
      [set(path(1, "counts", .name(key)), .erased)],
      [set(path(1, "any"), .dictionary), set(path(1, "any", .name(key)))],
      [
        set(path(1, "any"), .dictionary), set(path(1, "any", .name("a")), .dictionary),
        set(path(1, "any", .name("a"), .name(key))),
      ],
      [set(path(1, "parts", .name(key)), .object)],
      [set(path(1, "part"), .object), set(path(1, "part", .name("counts"), .name(key)))],
      [
        set(path(1, "parts", .name("a")), .object),
        set(path(1, "parts", .name("a"), .name("counts"), .name(key))),
      ],
    ]
  }

  @Test("A write of such a key is taken back, with the reason, and harms nobody", arguments: keys)
  func refused(key: String) throws {
    let app = SmallApp(isDevelopmentMode: true)
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let other = try client(harness)
    try author.write([.createObject(box(1)), set(path(1, "counts", .name("a")))])
    try author.synchronize()
    for (count, instructions) in writes(key).enumerated() {
      try author.write(instructions + [.createObject(box(Int64(count) + 2))])
      try author.synchronize()
      #expect(author.rejections.map(\.key) == Array(repeating: .int(1), count: count + 1), "\(instructions)")
    }
    let shown = key.replacing("\u{0}", with: "\\0")
    #expect(
      author.rejections.allSatisfy { $0.detail?.contains(#""\#(shown)" cannot be a dictionary key"#) == true }
    )
    try other.synchronize()
    let state = try harness.openState().contents(of: "Box")
    #expect(state[.int(1)]?.count == 2 && state.count == writes(key).count + 1)
    #expect(try author.objects.contents(of: "Box") == state)
    #expect(try other.objects.contents(of: "Box") == state)
    #expect(author.failures.isEmpty && other.failures.isEmpty)
  }

  @Test("A write of a string that is not UTF-8 is taken back, with the reason, and harms nobody")
  func malformedStrings() throws {
    let app = SmallApp(isDevelopmentMode: true)
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let other = try client(harness)
    try author.write([.createObject(box(1)), set(path(1, "any"), .value(.string("first")))])
    try author.synchronize()
    let malformed = Payload.value(.malformedString([0xFF, 0xFE]))
    try author.write([set(path(1, "any"), malformed)])
    try author.write([
      .createObject(box(2)), set(path(2, "any"), .list),
      .arrayInsert(path(2, "any", .index(0)), malformed, priorSize: 0),
    ])
    try author.write([.createObject(box(3))])
    try author.synchronize()
    #expect(author.rejections.map(\.key) == [.int(1), .int(2)])
    let reason = #"field "any" cannot hold a string that is not UTF-8"#
    #expect(author.rejections.allSatisfy { $0.detail?.contains(reason) == true })
    try other.synchronize()
    let state = try harness.openState().contents(of: "Box")
    #expect(Set(state.keys) == [.int(1), .int(3)])
    #expect(try author.objects.contents(of: "Box") == state)
    #expect(try other.objects.contents(of: "Box") == state)
    #expect(author.failures.isEmpty && other.failures.isEmpty)
  }

  @Test("Other keys are taken")
  func taken() throws {
    let app = SmallApp(isDevelopmentMode: true)
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let other = try client(harness)
    try author.write([
      .createObject(box(1)), set(path(1, "counts", .name("a$"))), set(path(1, "counts", .name(""))),
      set(path(1, "part"), .object), set(path(1, "part", .name("size"))),
      set(path(1, "parts", .name("a")), .object), set(path(1, "parts", .name("a"), .name("size"))),
    ])
    try author.synchronize()
    try other.synchronize()
    #expect(author.rejections.isEmpty)
    #expect(try other.objects.contents(of: "Box") == author.objects.contents(of: "Box"))
  }

  @Test("A document with such a key is not imported", arguments: ["$x", "a.b"])
  func documents(key: String) throws {
    let reader = try DocumentReader(className: "Box", schema: Self.schema, classByCollection: [:])
    for field in [
      #""counts":{"\#(key)":1}"#, #""any":{"a":1,"\#(key)":1}"#, #""any":{"a":{"b":1,"\#(key)":1}}"#,
    ] {
      #expect(throws: DocumentError.self) { try reader.object(JSON.parse(#"{"_id":1,\#(field)}"#)) }
    }
  }
}
