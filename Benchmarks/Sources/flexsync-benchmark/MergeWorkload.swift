// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Transactions that each set a property, increment another and insert into a list.
struct MergeWorkload {
  /// The number of objects that each client changes.
  let objectCount: Int64
  /// Whether all clients change the same objects.
  let isShared: Bool

  /// The schema and all initial objects.
  var base: [Instruction] {
    let schema = Schema([
      ClassSchema(
        name: "Item",
        primaryKey: PropertySchema(name: "_id", type: .int),
        properties: [
          PropertySchema(name: "name", type: .string), PropertySchema(name: "count", type: .int),
          PropertySchema(name: "list", type: .int, collection: .list),
        ]
      )
    ])
    let objects = [UInt64(2), 3].flatMap { file in
      (0..<objectCount).map { Instruction.createObject(object($0, file)) }
    }
    return ObjectStore.declarations(of: schema) + objects
  }

  private func object(_ number: Int64, _ file: UInt64) -> ObjectReference {
    ObjectReference(table: "Item", key: .int(isShared ? number : number + Int64(file) * objectCount))
  }

  /// Returns the transactions of a client.
  func history(file: UInt64, count: Int) -> [Changeset] {
    (0..<count).map { number in
      let object = object(Int64(number) % objectCount, file)
      let size = UInt32(Int64(number) / objectCount)
      let index = UInt32(truncatingIfNeeded: number) &* 7919 % (size + 1)
      func path(_ field: String, _ steps: PathElement...) -> PropertyPath {
        PropertyPath(object: object, field: field, path: steps)
      }
      return Changeset(
        stamp: OriginStamp(timestamp: UInt64(number), fileIdent: file),
        instructions: [
          .update(path("name"), .value(.string("name \(number)")), .isDefault(false)),
          .addInteger(path("count"), delta: 1),
          .arrayInsert(path("list", .index(index)), .value(.int(Int64(number))), priorSize: size),
        ]
      )
    }
  }

  /// Returns the total number of elements in all lists.
  func elementCount(_ objects: ObjectStore) throws -> Int {
    guard let table = try objects.table(named: "Item"), let list = table.column(named: "list") else {
      return 0
    }
    return try objects.rows(table).reduce(0) { try $0 + objects.listCount(row: $1, list) }
  }
}
