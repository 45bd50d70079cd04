// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncStore
@testable import FlexSyncVectors

/// The recorded merges, as far as they need only what can be stored.
@Suite struct MergeVectorTests {
  @Test func mergedChangesetsLeadToTheRecordedStates() throws {
    let path = "\(PackageFolder.vectors)/merge.jsonl"
    let bases = try VectorFile.value(path: VectorFile.companion(of: path, suffix: "_bases.json"))
    var stores: [String: BaseStore] = [:]
    var checked = 0
    for row in try VectorFile.rows(path: path)
    where row["state"] != nil && row["converges"]?.boolValue == true {
      let name = try row.text("base")
      let store = try stores[name] ?? BaseStore(bases.field(name).field("instructions"))
      stores[name] = store
      guard let difference = try store.check(row) else { continue }
      let id = try row.text("id")
      #expect(difference == "", "\(id)")
      checked += 1
    }
    #expect(checked > 1000)
  }
}

/// A store that holds a base, apart from what cannot be stored.
private final class BaseStore {
  private let store: ObjectStore
  private var unsupported: Set<Place> = []

  init(_ base: JSON) throws {
    store = try ObjectStore.inMemory()
    try store.database.write {
      for instruction in try Instruction.list(vector: base) where !concernsUnsupported(instruction) {
        do {
          try store.apply(instruction)
        } catch let error as ApplyError {
          guard let place = instruction.place, error.isUnsupported else { throw error }
          unsupported.insert(place)
        }
      }
    }
  }

  /// What differs after both sides' changes, empty if nothing does; nil for a row that needs other types.
  func check(_ row: JSON) throws -> String? {
    let left = try Changeset.list(vector: row.field("left")).flatMap(\.instructions)
    let right = try row.elements("right_out").flatMap { try Instruction.list(vector: $0) }
    guard !(left + right).contains(where: concernsUnsupported) else { return nil }
    try store.database.beginWrite()
    defer { try? store.database.rollback() }
    do {
      try store.apply(left + right)
    } catch let error as ApplyError where error.isUnsupported {
      return nil
    }
    var expected = try ModelState(vector: row.field("state").field("objects"))
    for place in unsupported { expected.remove(place) }
    return try store.state().difference(from: expected) ?? ""
  }

  private func concernsUnsupported(_ instruction: Instruction) -> Bool {
    if let object = instruction.object, unsupported.contains(Place(className: object.table, property: nil)) {
      return true
    }
    return instruction.place.map(unsupported.contains) ?? false
  }
}

extension ApplyError {
  /// Whether the instruction needs a type, or a class, that cannot be stored.
  fileprivate var isUnsupported: Bool {
    switch reason {
    case .unsupported, .unknownClass: true
    case .schemaConflict(let text): text.contains("which is not declared")
    default: false
    }
  }
}

/// A class, or a property of one.
private struct Place: Hashable {
  let className: String
  let property: String?
}

extension Instruction {
  fileprivate var place: Place? {
    switch self {
    case .addTable(let name, _, _), .eraseTable(let name): Place(className: name, property: nil)
    case .addColumn(let name, let property, _): Place(className: name, property: property.name)
    case .eraseColumn(let name, let property): Place(className: name, property: property)
    case .createObject, .eraseObject: nil
    case .update(let path, _, _), .addInteger(let path, _), .arrayInsert(let path, _, _),
      .arrayMove(let path, _, _),
      .arrayErase(let path, _), .clear(let path, _), .setInsert(let path, _), .setErase(let path, _):
      Place(className: path.object.table, property: path.field)
    }
  }
}

extension ModelState {
  fileprivate mutating func remove(_ place: Place) {
    guard let property = place.property else {
      objects[place.className] = nil
      return
    }
    for key in (objects[place.className] ?? [:]).keys { objects[place.className]?[key]?[property] = nil }
  }
}
