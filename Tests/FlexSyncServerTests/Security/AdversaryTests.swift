// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncServer

/// A hostile client that makes use of everything that it was told, in two worlds in which others do the same where it may
/// look, and different things where it may not.
@Suite("An adversary cannot tell two worlds apart")
struct AdversaryTests {
  @Test("Answers to everything that it asks are equal, byte for byte", arguments: UInt64(1)...30)
  func tellsNothing(seed: UInt64) throws {
    var game = try Game(seed)
    for _ in 0..<60 { game.step() }
    game.worlds.attack { $0.mark() }
    #expect(game.worlds.first.attacker.messages.count > 10)
    game.worlds.expectEqual("seed \(seed)")
  }
}

private struct Game {
  private typealias Server = AttackedServer

  let worlds: TwoWorlds
  /// For what both worlds have in common.
  private var dice: SeededGenerator
  /// For what is hidden.
  private var hiddenDice: [SeededGenerator]
  private let hiddenFields: Set<String>
  /// Whether objects of the other team are hidden.
  private let hidesObjects: Bool
  private let mayInsert: Bool
  /// Whether those are still of our team, and so seen, who were once.
  private var isOurs: [Int64: Bool] = [:]
  private var tokenCount = 0

  private static let seen: ClosedRange<Int64> = 1...6
  private static let leaving: ClosedRange<Int64> = 10...18
  private static let unseen: ClosedRange<Int64> = 20...25

  init(_ seed: UInt64) throws {
    dice = SeededGenerator(seed: seed)
    hiddenDice = [SeededGenerator(seed: seed &* 3 + 1000), SeededGenerator(seed: seed &* 7 + 2000)]
    hidesObjects = Int.random(in: 0..<4, using: &dice) > 0
    let candidates = [
      ["salary"], ["salary", "notes"], ["notes", "extra"], ["salary", "name"], [],
    ]
    hiddenFields = Set(candidates.randomElement(using: &dice) ?? [])
    // Whoever creates objects under keys that it has guessed finds out which are taken.
    mayInsert = !hidesObjects && Bool.random(using: &dice)
    let read = hidesObjects ? "team == 'ours'" : "TRUEPREDICATE"
    let isNameSeen = !hiddenFields.contains("name")
    let writes = [read, "FALSEPREDICATE", isNameSeen ? "\(read) AND name BEGINSWITH 't'" : read]
    let seen = FieldAccess.allExcept(hiddenFields)
    worlds = try TwoWorlds(
      Permissions(classes: [
        "Person": try Server.role(
          read: read,
          write: writes.randomElement(using: &dice),
          insert: mayInsert,
          delete: Bool.random(using: &dice),
          readable: seen,
          writable: Bool.random(using: &dice) ? seen : seen.intersection(.only(["team", "notes"]))
        )
      ]),
      query: nil
    )
  }

  mutating func step() {
    switch Int.random(in: 0..<10, using: &dice) {
    case 0..<3: others()
    case 3..<5:
      let changes = (hidden(in: 0), hidden(in: 1))
      worlds.meanwhile(changes)
    case 5: subscribe()
    case 6: worlds.attack { $0.reconnect() }
    default: write()
    }
  }

  private mutating func token() -> String {
    tokenCount += 1
    return "t\(tokenCount)"
  }

  // MARK: The others

  /// Something that may be seen, together with something that may not.
  private mutating func others() {
    var visible: [Instruction] = []
    var hidden = (self.hidden(in: 0), self.hidden(in: 1))
    if hidesObjects, Bool.random(using: &dice) {
      let number = Int64.random(in: Game.leaving, using: &dice)
      let object = Server.person(number)
      switch isOurs[number] {
      case nil:
        visible = Server.newPerson(number, team: "ours", salary: 50)
        isOurs[number] = true
      case true?:
        // Whether it goes to the others or is deleted is not told.
        hidden.0 += [TaskTracker.set("team", .string("theirs"), of: object)]
        hidden.1 +=
          Bool.random(using: &hiddenDice[1]) ? [.eraseObject(object)] : Array(hidden.0.suffix(1))
        isOurs[number] = false
      case false?: break
      }
    } else {
      let object = Server.person(.random(in: Game.seen, using: &dice))
      visible = [.createObject(object), TaskTracker.set("team", .string("ours"), of: object)]
      if !hiddenFields.contains("name") {
        visible.append(TaskTracker.set("name", .string(token()), of: object))
      }
      if Int.random(in: 0..<5, using: &dice) == 0 {
        visible = [.eraseObject(object)]
        // Whoever changes what it has deleted in the same transaction has the deletion refused, which may be seen.
        hidden.0.removeAll { $0.object == object }
        hidden.1.removeAll { $0.object == object }
      }
    }
    worlds.meanwhile((visible + hidden.0, visible + hidden.1))
  }

  /// Something that the adversary may not see.
  private mutating func hidden(in world: Int) -> [Instruction] {
    var instructions: [Instruction] = []
    for _ in 0..<Int.random(in: 0...2, using: &hiddenDice[world]) {
      if hidesObjects, Bool.random(using: &hiddenDice[world]) {
        let number = Int64.random(in: Game.unseen, using: &hiddenDice[world])
        let salary = Int64.random(in: 0...100, using: &hiddenDice[world])
        let isErasure = Int.random(in: 0..<3, using: &hiddenDice[world]) == 0
        instructions +=
          isErasure
          ? [.eraseObject(Server.person(number))]
          : Server.newPerson(number, team: "theirs", salary: salary)
      } else if let field = hiddenFields.sorted().randomElement(using: &hiddenDice[world]) {
        let number = Int64.random(in: Game.seen, using: &hiddenDice[world])
        instructions += change(field, of: number, in: world)
      }
    }
    return instructions
  }

  private mutating func change(_ field: String, of number: Int64, in world: Int) -> [Instruction] {
    let object = Server.person(number)
    let value = Int64.random(in: 0...100, using: &hiddenDice[world])
    return switch field {
    case "salary": [TaskTracker.set(field, .int(value), of: object)]
    case "extra": [TaskTracker.set(field, .int(value), of: object)]
    case "notes":
      [
        .clear(PropertyPath(object: object, field: field), .list),
        .arrayInsert(
          PropertyPath(object: object, field: field, path: [.index(0)]),
          .value(.string("\(value)")),
          priorSize: 0
        ),
      ]
    default: [TaskTracker.set(field, .string("t\(value)"), of: object)]
    }
  }

  // MARK: The adversary

  private mutating func subscribe() {
    let bound = Int.random(in: 0...100, using: &dice)
    let conditions = [
      "salary < \(bound)", "NOT salary < \(bound)", "team == 'ours'", "team == 'theirs'",
      "name == 't\(bound)'",
      "_id < \(bound)", "TRUEPREDICATE", "nothing == 1", "notes.@count == 1",
    ]
    let pair = [
      conditions.randomElement(using: &dice) ?? "", conditions.randomElement(using: &dice) ?? "",
    ]
    let query = pair.joined(separator: Bool.random(using: &dice) ? " OR " : " AND ")
    worlds.attack { $0.subscribe(query) }
  }

  private mutating func write() {
    var instructions: [Instruction] = []
    for _ in 0...Int.random(in: 0...1, using: &dice) {
      let ranges = [Game.seen, Game.leaving, Game.unseen, 30...31]
      instructions += attempt(
        .random(in: ranges.randomElement(using: &dice) ?? Game.seen, using: &dice)
      )
    }
    let isLate = Int.random(in: 0..<3, using: &dice) == 0
    worlds.attack { $0.upload(instructions, isLate: isLate) }
  }

  private mutating func attempt(_ number: Int64) -> [Instruction] {
    let object = Server.person(number)
    let path = PropertyPath(object: object, field: "notes", path: [.index(0)])
    let salary = Int64.random(in: 0...100, using: &dice)
    let attempts: [[Instruction]] = [
      [.eraseObject(object)], [TaskTracker.set("name", .string(token()), of: object)],
      [TaskTracker.set("salary", .int(salary), of: object)],
      [.addInteger(PropertyPath(object: object, field: "salary"), delta: 1)],
      [.arrayInsert(path, .value(.string("n")), priorSize: 0)], [.arrayErase(path, priorSize: 1)],
      [TaskTracker.set("team", .string("theirs"), of: object)],
      [.createObject(object), TaskTracker.set("team", .string("theirs"), of: object)],
      Server.newPerson(number, team: "ours", salary: salary),
      [.eraseObject(object)] + Server.newPerson(number, team: "ours"),
      [TaskTracker.set("nothing", .int(1), of: object)],
      [
        .update(
          PropertyPath(object: object, field: "extra", path: [.name("a")]),
          .value(.int(1)),
          .isDefault(false)
        )
      ],
    ]
    return attempts.randomElement(using: &dice) ?? []
  }
}
