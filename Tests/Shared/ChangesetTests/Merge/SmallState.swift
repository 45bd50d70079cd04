// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncVectors

/// A state with one property of every shape, and the transactions that can be made on it.
///
/// Left out is what does not converge in the reference either, because instructions alone do not tell the cases apart
/// (README of the vectors): making a list or dictionary of what already is one without clearing it, creating an
/// embedded object under a dictionary key twice, numbers of different types in a set of mixed.
enum SmallState {
  static let first = ObjectReference(table: "Item", key: .int(1))
  static let second = ObjectReference(table: "Item", key: .int(2))
  private static let other = ObjectReference(table: "Other", key: .int(1))

  static func model() throws(ModelError) -> ObjectModel {
    var model = ObjectModel()
    try model.apply(schema + contents(of: first) + [.createObject(second), .createObject(other)])
    return model
  }

  static let schema: [Instruction] =
    ["Item", "Other"].map {
      .addTable(
        name: $0,
        kind: .topLevel,
        primaryKey: PropertySchema(name: "_id", type: .int, isNullable: false)
      )
    } + [.addTable(name: "Part", kind: .embedded, primaryKey: nil)]
    + [
      column("Part", "x", .int), column("Part", "list", .int, .list),
      column("Item", "n", .int, isNullable: true),
      column("Item", "s", .string), column("Item", "any", .mixed, isNullable: true),
      column("Item", "mixedList", .mixed, isNullable: true), column("Item", "list", .int, .list),
      column("Item", "set", .int, .set), column("Item", "entries", .mixed, .dictionary, isNullable: true),
      column("Item", "part", .link, isNullable: true, target: "Part"),
      column("Item", "parts", .link, .list, target: "Part"),
      column("Item", "mixedSet", .mixed, .set, isNullable: true),
      column("Item", "partEntries", .link, .dictionary, isNullable: true, target: "Part"),
      column("Item", "link", .link, isNullable: true, target: "Other"),
    ]

  static func column(
    _ table: String,
    _ name: String,
    _ type: ValueType,
    _ collection: CollectionKind = .single,
    isNullable: Bool = false,
    target: String? = nil
  ) -> Instruction {
    let property = PropertySchema(
      name: name,
      type: type,
      isNullable: isNullable,
      collection: collection,
      linkTarget: target
    )
    return .addColumn(table: table, property, keyType: collection == .dictionary ? .string : nil)
  }

  private static func contents(of object: ObjectReference) -> [Instruction] {
    let place = Place(object: object)
    return [
      .createObject(object), place.set("n", .value(.int(5))), place.set("any", .value(.int(1))),
      place.set("mixedList", .list), place.insert("mixedList", 0, .value(.int(1)), of: 0),
      place.insert("mixedList", 1, .list, of: 1),
      place.insert("mixedList", at: [.index(1)], 0, .value(.int(7)), of: 0),
      place.insert("mixedList", 2, .dictionary, of: 2),
      place.set("mixedList", at: [.index(2), .name("k")], .value(.int(9))),
      place.insert("list", 0, .value(.int(10)), of: 0), place.insert("list", 1, .value(.int(11)), of: 1),
      place.insert("list", 2, .value(.int(12)), of: 2), .setInsert(place.path("set"), .value(.int(1))),
      place.set("entries", at: [.name("a")], .value(.int(1))), place.set("entries", at: [.name("l")], .list),
      place.insert("entries", at: [.name("l")], 0, .value(.int(3)), of: 0), place.set("part", .object),
      place.set("part", at: [.name("x")], .value(.int(4))), place.insert("parts", 0, .object, of: 0),
      place.insert("parts", 1, .object, of: 1), place.insert("parts", 2, .object, of: 2),
    ]
  }

  /// All kinds of transactions, each possible on the state as it is.
  static let transactions: [[Instruction]] =
    objects + scalars + lists + mixed + dictionaries + sets + embedded + schemaChanges

  private static let place = Place(object: first)

  private static let objects: [[Instruction]] = [
    [.createObject(first)], [.eraseObject(first)], [.eraseObject(second)], [.eraseObject(other)],
    [.eraseObject(first), .createObject(first), place.set("s", .value(.string("again")))],
    [place.set("link", .value(.link(Link(className: "Other", key: .int(1)))))],
    [place.set("link", .value(.null))],
  ]

  private static let scalars: [[Instruction]] = [
    [place.set("n", .value(.int(8)))], [place.set("n", .value(.null))],
    [place.set("s", .value(.string("x")))],
    [.update(place.path("n"), .value(.int(6)), .isDefault(true))], [.addInteger(place.path("n"), delta: 3)],
    [.addInteger(place.path("n"), delta: -1)], [.addInteger(place.path("any"), delta: 2)],
    [place.set("any", .value(.string("text")))], [place.set("any", .value(.int(2)))],
  ]

  private static var lists: [[Instruction]] {
    var lists: [[Instruction]] = [[.clear(place.path("list"), .list)]]
    for index in 0...3 as ClosedRange<UInt32> {
      lists.append([place.insert("list", index, .value(.int(99)), of: 3)])
    }
    for index in 0..<3 as Range<UInt32> {
      let path = place.path("list", [.index(index)])
      lists.append([.arrayErase(path, priorSize: 3)])
      lists.append([.update(path, .value(.int(77)), .priorSize(3))])
    }
    return lists + moves("list")
  }

  private static let mixed: [[Instruction]] =
    moves("mixedList") + [
      [place.set("any", .list)],
      [place.set("any", .dictionary), place.set("any", at: [.name("k")], .value(.int(1)))],
      [place.set("mixedList", .value(.int(0)))],
      [place.set("mixedList", .list), .clear(place.path("mixedList"), .list)],
      [.clear(place.path("mixedList"), .dictionary)], [place.insert("mixedList", 1, .value(.int(0)), of: 3)],
      [.arrayErase(place.path("mixedList", [.index(1)]), priorSize: 3)],
      [place.insert("mixedList", at: [.index(1)], 0, .value(.int(6)), of: 1)],
      [.clear(place.path("mixedList", [.index(1)]), .list)],
      [.clear(place.path("mixedList", [.index(2)]), .dictionary)],
      [place.set("mixedList", at: [.index(2), .name("k")], .value(.int(2)))],
      [place.set("mixedList", at: [.index(2), .name("k")], .erased)],
      [.update(place.path("mixedList", [.index(1)]), .value(.int(4)), .priorSize(3))],
    ]

  private static let dictionaries: [[Instruction]] = [
    [place.set("entries", at: [.name("a")], .value(.int(2)))],
    [place.set("entries", at: [.name("a")], .erased)],
    [place.set("entries", at: [.name("b")], .list)], [place.set("entries", at: [.name("l")], .erased)],
    [.clear(place.path("entries"), .dictionary)], [.clear(place.path("entries", [.name("l")]), .list)],
    [place.insert("entries", at: [.name("l")], 1, .value(.int(4)), of: 1)],
    [.arrayErase(place.path("entries", [.name("l"), .index(0)]), priorSize: 1)],
  ]

  private static let sets: [[Instruction]] = [
    [.setInsert(place.path("set"), .value(.int(1)))], [.setInsert(place.path("set"), .value(.int(2)))],
    [.setErase(place.path("set"), .value(.int(1)))], [.clear(place.path("set"), .set)],
  ]

  private static let embedded: [[Instruction]] =
    moves("parts") + [
      [place.set("part", .object)], [place.set("part", .value(.null))],
      [
        place.set("part", .value(.null)), place.set("part", .object),
        place.set("part", at: [.name("x")], .value(.int(5))),
      ],
      [place.set("part", at: [.name("x")], .value(.int(6)))],
      [.addInteger(place.path("part", [.name("x")]), delta: 1)],
      [place.insert("parts", 1, .object, of: 3)],
      [.arrayErase(place.path("parts", [.index(0)]), priorSize: 3)],
      [place.set("parts", at: [.index(0), .name("x")], .value(.int(1)))],
      [place.set("parts", at: [.index(2), .name("x")], .value(.int(2)))],
      [place.insert("parts", at: [.index(1), .name("list")], 0, .value(.int(3)), of: 0)],
      [.clear(place.path("parts"), .list)],
    ]

  private static let schemaChanges: [[Instruction]] = [
    [.eraseColumn(table: "Item", name: "n")], [.eraseColumn(table: "Item", name: "list")],
    [.eraseTable(name: "Item")], [.eraseColumn(table: "Item", name: "link"), .eraseTable(name: "Other")],
    [column("Item", "new", .int)], [column("Item", "new", .int), place.set("new", .value(.int(3)))],
    [column("Item", "newLink", .link, isNullable: true, target: "Other")], [schema[0]],
  ]

  private static func moves(_ field: String) -> [[Instruction]] {
    [(0, 2), (2, 0), (1, 0), (1, 2)].map {
      [.arrayMove(place.path(field, [.index($0.0)]), to: $0.1, priorSize: 3)]
    }
  }
}

/// Abbreviations for instructions on the properties of one object.
struct Place {
  let object: ObjectReference

  func path(_ field: String, _ path: [PathElement] = []) -> PropertyPath {
    PropertyPath(object: object, field: field, path: path)
  }

  func set(_ field: String, at path: [PathElement] = [], _ payload: Payload) -> Instruction {
    .update(self.path(field, path), payload, .isDefault(false))
  }

  func insert(
    _ field: String,
    at path: [PathElement] = [],
    _ index: UInt32,
    _ payload: Payload,
    of size: UInt32
  ) -> Instruction {
    .arrayInsert(self.path(field, path + [.index(index)]), payload, priorSize: size)
  }
}
