// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Two stores with the same objects, to which changes are applied and taken back.
struct Objects {
  private struct TakenBack: Error {}

  /// What became of a changeset.
  private enum Outcome: Equatable {
    /// The states of all objects, and how often there was each change to an object of a class. Their rows may differ,
    /// because those taken in a transaction that was taken back are not always free again.
    case applied(Set<[Instruction]>, [String: [ChangeRecorder.RowChange: Int]])
    case refused(ApplyError)
    case malformed
    case tooLarge
  }

  nonisolated(unsafe) static let shared = Objects()

  private let store = Self.makeStore()
  /// Takes changesets without decoding them first.
  private let direct = Self.makeStore()

  private static func makeStore() -> ObjectStore {
    do {
      let application = DatabaseConfiguration.Application(
        identifier: 1,
        name: "fuzzed file",
        migrations: [Migration("object tables", apply: ObjectStore.createTables)]
      )
      let database = try Database.open(DatabaseConfiguration(location: .memory, application: application))
      let store = try ObjectStore(database)
      try database.write {
        try store.declare(schema)
        try store.apply(contents)
      }
      return store
    } catch {
      fatalError("\(error)")
    }
  }

  func take(_ instructions: [Instruction]) { _ = outcome(in: store) { try $0.apply(instructions) } }

  /// Applies a changeset in both ways. The one that decodes it first may refuse the bytes before it applies anything.
  func take(encoded changeset: [UInt8]) {
    let expected = outcome(in: store) { try $0.apply(try ChangesetCodec.decode(changeset).instructions) }
    let found = outcome(in: direct) { try $0.apply(encoded: changeset) }
    switch (expected, found) {
    case (.malformed, .malformed), (.malformed, .refused), (.malformed, .tooLarge): break
    default: if found != expected { fatalError("\(found) instead of \(expected)") }
    }
  }

  private func outcome(in store: ObjectStore, _ apply: (ObjectStore) throws -> Void) -> Outcome {
    let recorder = ChangeRecorder()
    store.recorder = recorder
    defer { store.recorder = nil }
    var outcome = Outcome.malformed
    do {
      try store.database.write {
        try apply(store)
        let states = try readAll(store)
        outcome = .applied(states, try store.recordedChanges().mapValues(counts))
        throw TakenBack()
      }
    } catch is TakenBack {
    } catch is ChangesetError {
    } catch let error as ApplyError {
      outcome = .refused(error)
    } catch let error as StorageError where error.kind == .tooLarge {
      outcome = .tooLarge
    } catch {
      fatalError("\(error)")
    }
    return outcome
  }

  private func counts(_ changes: [Int64: ChangeRecorder.RowChange]) -> [ChangeRecorder.RowChange: Int] {
    changes.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  private func readAll(_ store: ObjectStore) throws -> Set<[Instruction]> {
    var states: Set<[Instruction]> = []
    for table in try store.tables.values where !table.isEmbedded {
      for row in try store.rows(table) {
        let state = try store.fullState(of: row, in: table)
        precondition((try? ChangesetCodec.decode(ChangesetCodec.encode(state)))?.instructions == state)
        states.insert(state)
      }
    }
    return states
  }
}

private let contents: [Instruction] = [
  .createObject(object), .arrayInsert(path("list", 0), .value(.int(1)), priorSize: 0),
  .arrayInsert(path("list", 1), .value(.int(2)), priorSize: 1),
  .update(PropertyPath(object: object, field: "any"), .list, .isDefault(false)),
  .arrayInsert(path("any", 0), .value(.string("x")), priorSize: 0),
  .update(PropertyPath(object: object, field: "part"), .object, .isDefault(false)),
]

private let object = ObjectReference(table: "Item", key: .int(1))

private func path(_ field: String, _ index: UInt32) -> PropertyPath {
  PropertyPath(object: object, field: field, path: [.index(index)])
}

private let schema = Schema([
  ClassSchema(
    name: "Item",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [
      PropertySchema(name: "name", type: .string, isNullable: true), PropertySchema(name: "age", type: .int),
      PropertySchema(name: "cost", type: .decimal), PropertySchema(name: "when", type: .timestamp),
      PropertySchema(name: "data", type: .binary), PropertySchema(name: "size", type: .float),
      PropertySchema(name: "flag", type: .bool),
      PropertySchema(name: "ratio", type: .double, isNullable: true),
      PropertySchema(name: "ident", type: .objectId),
      PropertySchema(name: "token", type: .uuid, isNullable: true),
      PropertySchema(name: "any", type: .mixed, isNullable: true),
      PropertySchema(name: "list", type: .int, collection: .list),
      PropertySchema(name: "set", type: .string, collection: .set),
      PropertySchema(name: "map", type: .mixed, isNullable: true, collection: .dictionary),
      PropertySchema(name: "link", type: .link, isNullable: true, linkTarget: "Item"),
      PropertySchema(name: "links", type: .link, collection: .list, linkTarget: "Item"),
      PropertySchema(name: "part", type: .link, isNullable: true, linkTarget: "Part"),
      PropertySchema(name: "parts", type: .link, collection: .list, linkTarget: "Part"),
    ]
  ),
  ClassSchema(
    name: "Part",
    kind: .embedded,
    primaryKey: nil,
    properties: [
      PropertySchema(name: "text", type: .string),
      PropertySchema(name: "part", type: .link, isNullable: true, linkTarget: "Part"),
      PropertySchema(name: "numbers", type: .int, collection: .list),
    ]
  ),
  ClassSchema(
    name: "Word",
    primaryKey: PropertySchema(name: "_id", type: .string, isNullable: true),
    properties: [PropertySchema(name: "text", type: .string), PropertySchema(name: "age", type: .int)]
  ),
  ClassSchema(
    name: "Reading",
    kind: .asymmetric,
    primaryKey: PropertySchema(name: "_id", type: .objectId),
    properties: [PropertySchema(name: "size", type: .float, isNullable: true)]
  ),
])
