// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncVectors

/// A state in which one object has one property, and what can be done to it.
struct PropertyBase: CustomStringConvertible, Sendable {
  static let field = "p"
  static let object = ObjectReference(table: "Item", key: .int(1))
  private static let other = ObjectReference(table: "Other", key: .int(1))
  private static let link = Payload.value(.link(Link(className: "Other", key: .int(1))))
  private static let place = Place(object: object)

  let name: String
  let column: Instruction
  let contents: [Instruction]

  var description: String { name }

  private init(_ name: String, _ column: Instruction, _ contents: [Instruction] = []) {
    self.name = name
    self.column = column
    self.contents = contents
  }

  /// Everything that makes the state.
  var instructions: [Instruction] {
    Self.schema + [column, .createObject(Self.object), .createObject(Self.other)] + contents
  }

  /// What can be done in a state that comes after this one, with what concerns the whole object and the schema.
  func possibleInstructions(on model: ObjectModel) -> [Instruction] {
    var possible = PossibleInstructions(on: model)
    possible.targets = [Link(className: "Other", key: .int(1))]
    let wide: [Instruction] = [
      .createObject(Self.object), .eraseObject(Self.object), .eraseObject(Self.other), Self.schema[0], column,
      SmallState.column("Item", "another", .int), .eraseColumn(table: "Item", name: Self.field),
      .eraseTable(name: "Item"), .eraseTable(name: "Other"),
      SmallState.column("Item", "toOther", .link, isNullable: true, target: "Other"),
    ]
    let applicable = wide.filter { instruction in
      var probe = model
      return (try? probe.apply(instruction)) != nil
    }
    return possible.instructions(in: Self.field, of: Self.object) + applicable
  }

  private static let schema: [Instruction] =
    ["Item", "Other"].map {
      .addTable(
        name: $0,
        kind: .topLevel,
        primaryKey: PropertySchema(name: "_id", type: .int, isNullable: false)
      )
    }
    + ["Part", "Leaf"].map { .addTable(name: $0, kind: .embedded, primaryKey: nil) }
    + [
      SmallState.column("Leaf", "y", .int), SmallState.column("Part", "x", .int, isNullable: true),
      SmallState.column("Part", "list", .int, .list),
      SmallState.column("Part", "leaf", .link, isNullable: true, target: "Leaf"),
    ]

  static let all: [PropertyBase] = scalars + lists + mixed + setsAndDictionaries + embedded

  private static func column(
    _ type: ValueType,
    _ collection: CollectionKind = .single,
    isNullable: Bool = false,
    target: String? = nil
  ) -> Instruction {
    SmallState.column("Item", field, type, collection, isNullable: isNullable, target: target)
  }

  private static func set(_ path: [PathElement], _ payload: Payload) -> Instruction {
    place.set(field, at: path, payload)
  }

  private static func set(_ payload: Payload) -> Instruction { set([], payload) }

  private static func insert(_ index: UInt32, _ payload: Payload, at path: [PathElement] = []) -> Instruction
  {
    place.insert(field, at: path, index, payload, of: index)
  }

  private static let scalars = [
    PropertyBase("required integer", column(.int), [set(.value(.int(5)))]),
    PropertyBase("integer", column(.int, isNullable: true), [set(.value(.int(5)))]),
    PropertyBase("integer that is null", column(.int, isNullable: true)),
    PropertyBase("link", column(.link, isNullable: true, target: "Other"), [set(link)]),
  ]

  private static let lists =
    (0...3 as ClosedRange<UInt32>).map { size in
      let contents = (0..<size).map { insert($0, .value(.int(Int64($0) + 10))) }
      return PropertyBase("list of \(size)", column(.int, .list), contents)
    } + [
      PropertyBase(
        "list of links",
        column(.link, .list, target: "Other"),
        [insert(0, link), insert(1, link)]
      )
    ]

  /// One element of each kind: a number, a list of one, a dictionary of one.
  private static func elements(at path: [PathElement]) -> [Instruction] {
    [
      insert(0, .value(.int(1)), at: path), insert(1, .list, at: path),
      insert(0, .value(.int(7)), at: path + [.index(1)]), insert(2, .dictionary, at: path),
      set(path + [.index(2), .name("k")], .value(.int(9))),
    ]
  }

  /// One entry of each kind.
  private static let entries: [Instruction] = [
    set([.name("a")], .value(.int(1))), set([.name("l")], .list),
    insert(0, .value(.int(3)), at: [.name("l")]),
    set([.name("d")], .dictionary), set([.name("d"), .name("k")], .value(.int(4))),
  ]

  private static let mixed = [
    PropertyBase("mixed that is null", column(.mixed, isNullable: true)),
    PropertyBase("mixed", column(.mixed, isNullable: true), [set(.value(.int(1)))]),
    PropertyBase("list in a mixed", column(.mixed, isNullable: true), [set(.list)] + elements(at: [])),
    PropertyBase("dictionary in a mixed", column(.mixed, isNullable: true), [set(.dictionary)] + entries),
    PropertyBase("list of mixed", column(.mixed, .list, isNullable: true), elements(at: [])),
  ]

  private static let setsAndDictionaries = [
    PropertyBase("set", column(.int, .set), [.setInsert(place.path(field), .value(.int(1)))]),
    PropertyBase("set of links", column(.link, .set, target: "Other")),
    PropertyBase(
      "set of mixed",
      column(.mixed, .set, isNullable: true),
      [.setInsert(place.path(field), .value(.int(1))), .setInsert(place.path(field), .value(.string("x")))]
    ),
    PropertyBase("dictionary", column(.int, .dictionary), [set([.name("a")], .value(.int(1)))]),
    PropertyBase("dictionary of mixed", column(.mixed, .dictionary, isNullable: true), entries),
    PropertyBase(
      "dictionary of links",
      column(.link, .dictionary, isNullable: true, target: "Other"),
      [set([.name("a")], link)]
    ),
  ]

  private static func part(at path: [PathElement]) -> [Instruction] {
    [
      set(path + [.name("x")], .value(.int(4))), insert(0, .value(.int(6)), at: path + [.name("list")]),
      set(path + [.name("leaf")], .object),
    ]
  }

  private static let embedded = [
    PropertyBase("place for an embedded object", column(.link, isNullable: true, target: "Part")),
    PropertyBase(
      "embedded object",
      column(.link, isNullable: true, target: "Part"),
      [set(.object)] + part(at: [])
    ),
    PropertyBase(
      "list of embedded objects",
      column(.link, .list, target: "Part"),
      [insert(0, .object), insert(1, .object)] + part(at: [.index(1)])
    ),
    PropertyBase(
      "dictionary of embedded objects",
      column(.link, .dictionary, isNullable: true, target: "Part"),
      [set([.name("a")], .object)] + part(at: [.name("a")])
    ),
  ]
}
