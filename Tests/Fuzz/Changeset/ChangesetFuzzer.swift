// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Reads any bytes as two concurrent changesets, merges them and applies them to objects. Built by Scripts/fuzz with
/// libFuzzer.
///
/// The first two bytes are the length of the first changeset. What is read must be the same after it was written and read
/// again; merging and applying end with an error of the changeset or leave objects that can be read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChangeset(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard count >= 2 else { return 0 }
  let length = min(Int(input[0]) << 8 | Int(input[1]), count - 2)
  let first = instructions(input[2..<2 + length])
  let second = instructions(input[(2 + length)...])
  if let first { Objects.shared.take(first) }
  guard let first, let second, !first.isEmpty, !second.isEmpty else { return 0 }
  merge(first, second)
  return 0
}

private func instructions(_ bytes: ArraySlice<UInt8>) -> [Instruction]? {
  guard let decoded = try? ChangesetCodec.decode(bytes) else { return nil }
  let written = ChangesetCodec.encode(decoded.instructions, internedStrings: decoded.internedStrings)
  let again = try? ChangesetCodec.decode(written)
  precondition(again == decoded, "\(decoded) is read again as \(String(describing: again))")
  let packed = ChangesetCodec.encode(decoded.instructions)
  precondition((try? ChangesetCodec.decode(packed))?.instructions == decoded.instructions)
  return decoded.instructions
}

/// Both orders are tried: what the sides are called must not matter, and either is the server's at some time.
private func merge(_ first: [Instruction], _ second: [Instruction]) {
  let left = Changeset(stamp: OriginStamp(timestamp: 1, fileIdent: 1), instructions: first)
  let right = Changeset(stamp: OriginStamp(timestamp: 2, fileIdent: 2), instructions: second)
  let one = merged(left, right)
  let other = merged(right, left)
  precondition(
    one?.local == other?.incoming && one?.incoming == other?.local,
    "the order of the sides matters"
  )
  guard let one else { return }
  Objects.shared.take(first + one.incoming)
  Objects.shared.take(second + one.local)
}

private func merged(_ left: Changeset, _ right: Changeset) -> (local: [Instruction], incoming: [Instruction])?
{
  var local = [left]
  var incoming = [right]
  guard (try? Merge.transform(local: &local, incoming: &incoming)) != nil else { return nil }
  return (local[0].instructions, incoming[0].instructions)
}

/// A store with some objects, to which changes are applied and taken back.
private struct Objects {
  private struct TakenBack: Error {}

  nonisolated(unsafe) static let shared = Objects()

  private let store: ObjectStore

  private init() {
    do {
      let application = DatabaseConfiguration.Application(
        identifier: 1,
        name: "fuzzed file",
        migrations: [Migration("object tables", apply: ObjectStore.createTables)]
      )
      let database = try Database.open(DatabaseConfiguration(location: .memory, application: application))
      store = try ObjectStore(database)
      try database.write {
        try store.declare(schema)
        try store.apply(contents)
      }
    } catch {
      fatalError("\(error)")
    }
  }

  func take(_ instructions: [Instruction]) {
    do {
      try store.database.write {
        try store.apply(instructions)
        try readAll()
        throw TakenBack()
      }
    } catch is TakenBack {
    } catch is ApplyError {
    } catch let error as StorageError where error.kind == .tooLarge {
    } catch {
      fatalError("\(error)")
    }
  }

  private func readAll() throws {
    for table in try store.tables.values where !table.isEmbedded {
      for row in try store.rows(table) {
        let state = try store.fullState(of: row, in: table)
        precondition((try? ChangesetCodec.decode(ChangesetCodec.encode(state)))?.instructions == state)
      }
    }
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
])
