// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncSimulator
import FlexSyncWire
import Testing

@testable import FlexSyncRules
@testable import FlexSyncServer

/// Two worlds differ in fields that the attacker may not see, some of which it may write.
@Suite("Writes to hidden fields and into half-hidden embedded objects tell nothing")
struct BlindWriteTests {
  private typealias Server = AttackedServer

  private static func path(_ field: String, _ steps: PathElement...) -> PropertyPath {
    PropertyPath(object: Server.person(1), field: field, path: steps)
  }

  private static func set(_ path: PropertyPath, _ value: Value, isDefault: Bool = false) -> Instruction {
    .update(path, .value(value), .isDefault(isDefault))
  }

  /// What can be tried with a collection of strings.
  private static func tries(list path: PropertyPath) -> [[Instruction]] {
    let (first, second) = (path.appending(.index(0)), path.appending(.index(1)))
    return [
      [.arrayInsert(first, .value(.string("n")), priorSize: 0)],
      [.arrayInsert(second, .value(.string("n")), priorSize: 1)],
      [.update(first, .value(.string("n")), .priorSize(2))], [.arrayErase(first, priorSize: 1)],
      [.arrayMove(first, to: 1, priorSize: 2)], [.clear(path, .list)],
      [.clear(path, .list), .arrayInsert(first, .value(.string("n")), priorSize: 0)],
    ]
  }

  private static let fieldTries: [[Instruction]] =
    [
      [set(path("salary"), .int(10))], [.addInteger(path("salary"), delta: 1)],
      [set(path("extra"), .int(1))], [set(path("extra", .name("a")), .int(1))],
      [.addInteger(path("extra"), delta: 1)], [.clear(path("extra"), .dictionary)],
      [.update(path("extra"), .dictionary, .isDefault(false)), set(path("extra", .name("a")), .int(1))],
      [.update(path("extra"), .list, .isDefault(false))],
      [.eraseObject(Server.person(1))] + Server.newPerson(1, team: "ours", notes: ["a"]),
      [.createObject(Server.person(1))] + tries(list: path("notes"))[0],
    ] + tries(list: path("notes"))

  private static func placeTries(_ place: PropertyPath) -> [[Instruction]] {
    let code = place.appending(.name("code"))
    let street = place.appending(.name("street"))
    return [
      [set(code, .string("a"))], [set(code, .string("a"), isDefault: true)], [set(code, .null)],
      [set(street, .string("b"))], [set(street, .string("b")), set(code, .string("a"), isDefault: true)],
      [.update(place, .object, .isDefault(false)), set(code, .string("a"))],
    ] + tries(list: place.appending(.name("marks")))
  }

  private static let containerTries: [[Instruction]] = [
    [
      .arrayInsert(path("places", .index(0)), .object, priorSize: 1),
      set(path("places", .index(0), .name("street")), .string("x")),
    ],
    [.arrayMove(path("places", .index(0)), to: 1, priorSize: 2)],
    [.arrayErase(path("places", .index(1)), priorSize: 2)],
    [.arrayErase(path("places", .index(0)), priorSize: 1)],
    [.clear(path("places"), .list)],
    [set(path("home"), .null)],
    [
      set(path("home"), .null), .update(path("home"), .object, .isDefault(false)),
      set(path("home", .name("code")), .string("a")),
    ],
    [set(path("home"), .null), .update(path("home"), .object, .isDefault(false))]
      + tries(list: path("home", .name("marks")))[0],
    [.eraseObject(Server.person(1))],
  ]

  private static func worlds(_ role: ClassPermission, query: String = "TRUEPREDICATE") throws -> TwoWorlds {
    try TwoWorlds(
      Permissions(classes: ["Person": role]),
      hidden: (
        Server.newPerson(1, team: "ours", salary: 10, notes: ["a"])
          + Server.newPlaces(1, code: "a", marks: []) + [set(path("extra"), .int(1))],
        Server.newPerson(1, team: "ours", salary: 90, notes: ["b", "c"])
          + Server.newPlaces(1, code: "b", marks: ["m", "n"])
          + [.update(path("extra"), .dictionary, .isDefault(false)), set(path("extra", .name("a")), .int(2))]
      ),
      query: query
    )
  }

  private static let hiddenFields: Set<String> = ["salary", "notes", "extra"]

  @Test("Fields and inner fields that may be written and not read, or neither", arguments: [true, false])
  func hiddenFields(mayWrite: Bool) throws {
    let seen = Server.allExcept(Self.hiddenFields, inPlaces: ["code", "marks"])
    let role = try Server.role(readable: seen, writable: mayWrite ? .all : seen)
    let tries =
      Self.fieldTries + Self.placeTries(Self.path("home")) + Self.placeTries(Self.path("places", .index(0)))
      + Self.containerTries
    for (number, instructions) in tries.enumerated() {
      let worlds = try Self.worlds(role)
      worlds.attack { attacker in
        attacker.upload(instructions)
        attacker.upload([Self.set(Self.path("name"), .string("after"))])
        attacker.reconnect()
        attacker.mark()
      }
      worlds.expectEqual("\(number): \(instructions)")
    }
    let worlds = try Self.worlds(role)
    worlds.attack { attacker in for instructions in tries { attacker.upload(instructions) } }
    worlds.expectEqual("one after the other")
  }

  @Test("Embedded objects of which nothing may be read", arguments: [true, false])
  func hiddenObjects(mayWrite: Bool) throws {
    let seen = FieldAccess.allExcept(Self.hiddenFields.union(["home", "places"]))
    let role = try Server.role(readable: seen, writable: mayWrite ? .all : seen)
    let worlds = try Self.worlds(role)
    let tries =
      Self.placeTries(Self.path("home")) + Self.placeTries(Self.path("places", .index(0)))
      + Self.containerTries
    worlds.attack { attacker in
      for instructions in tries { attacker.upload(instructions) }
      attacker.mark()
    }
    worlds.expectEqual()
  }

  @Test("Embedded objects of which nothing may be read and some fields may be written")
  func partlyWritableObjects() throws {
    let seen = FieldAccess.allExcept(["home", "places"])
    let role = try Server.role(readable: seen, writable: Server.allExcept([], inPlaces: ["code"]))
    let person = Server.newPerson(1, team: "ours")
    let tries =
      Self.placeTries(Self.path("home")) + Self.placeTries(Self.path("places", .index(0)))
      + Self.containerTries
    func worlds() throws -> TwoWorlds {
      try TwoWorlds(
        Permissions(classes: ["Person": role]),
        hidden: (person + Server.newPlaces(1, code: "a", marks: ["m"]), person),
        query: "TRUEPREDICATE"
      )
    }
    for (number, instructions) in tries.enumerated() {
      let worlds = try worlds()
      worlds.attack { attacker in
        attacker.upload(instructions)
        attacker.mark()
      }
      worlds.expectEqual("\(number): \(instructions)")
    }
    // What may not be written would go with what is replaced.
    let replaced = try worlds().first
    replaced.attacker.upload([.update(Self.path("home"), .object, .isDefault(false))])
    replaced.attacker.upload([.clear(Self.path("places"), .list)])
    #expect(replaced.attacker.rejections.count == 2)
  }

  @Test("What is written blindly is taken, and comes back to nobody who may not read it")
  func taken() throws {
    let seen = Server.allExcept(["salary", "notes"], inPlaces: ["code"])
    let worlds = try Self.worlds(try Server.role(readable: seen, writable: .all))
    let world = worlds.first
    let notes = Self.path("notes")
    world.attacker.upload([
      Self.set(Self.path("salary"), .int(77)), .clear(notes, .list),
      .arrayInsert(notes.appending(.index(0)), .value(.string("blind")), priorSize: 0),
      Self.set(Self.path("home", .name("code")), .string("blind")),
    ])
    #expect(world.attacker.rejections.isEmpty)
    world.attacker.reconnect()
    world.attacker.mark()
    let shown = try world.admin.instructions()
    #expect(shown.contains(Self.set(Self.path("salary"), .int(77))))
    #expect(shown.contains(Self.set(Self.path("home", .name("code")), .string("blind"))))
    // A write that is taken back, and the object that comes in its place, have none of it either.
    world.attacker.upload([.arrayErase(notes.appending(.index(0)), priorSize: 1)])
    #expect(world.attacker.rejections.count == 1)
    for instruction in try world.attacker.instructions() {
      guard let path = instruction.path else { continue }
      #expect(!["salary", "notes", "home.code", "places.code"].contains(path.dottedName), "\(instruction)")
    }
  }
}

extension Attacker {
  /// All that the client was sent.
  fileprivate func instructions() throws -> [Instruction] {
    try messages.flatMap { message -> [Instruction] in
      guard case .download(let download) = message else { return [] }
      return try download.entries.flatMap { try ChangesetCodec.decode($0.changeset).instructions }
    }
  }
}
