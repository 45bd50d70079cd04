// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncEngine
import FlexSyncModel
import FlexSyncRules
import FlexSyncServer
import FlexSyncTestSupport
import FlexSyncWire

/// A hostile client that exploits everything it learns, in two worlds. The other users do the same in both worlds
/// where the adversary may see it, and different things where it may not.
struct AdversaryGame {
  private typealias Server = AttackedServer

  let worlds: TwoWorlds
  /// The random choices common to both worlds.
  var dice: SeededGenerator
  /// The random choices of hidden changes, per world.
  private var hiddenDice: [SeededGenerator]
  private let hiddenFields: Set<String>
  /// Whether a property of each person's home is hidden.
  private let hidesCode: Bool
  /// Whether objects of the other team are hidden.
  private let hidesObjects: Bool
  private let mayInsert: Bool
  /// Whether a turn of the server is so short that hidden changes determine how much it sends in one.
  private let hasShortTurns: Bool
  /// Whether each person who was once in our team, and therefore visible, still is.
  private var isOurs: [Int64: Bool] = [:]
  private var tokenCount = 0

  private static let seen: ClosedRange<Int64> = 1...6
  private static let leaving: ClosedRange<Int64> = 10...18
  private static let unseen: ClosedRange<Int64> = 20...25

  init(_ seed: UInt64, keepsLog: Bool = false) throws {
    dice = SeededGenerator(seed: seed)
    hiddenDice = [SeededGenerator(seed: seed &* 3 + 1000), SeededGenerator(seed: seed &* 7 + 2000)]
    hidesObjects = Int.random(in: 0..<4, using: &dice) > 0
    let candidates = [
      ["salary"], ["salary", "notes"], ["notes", "extra"], ["salary", "name"], [],
    ]
    hiddenFields = Set(candidates.randomElement(using: &dice) ?? [])
    // A user who creates objects under guessed keys finds out which keys are taken.
    mayInsert = !hidesObjects && Bool.random(using: &dice)
    let read = hidesObjects ? "team == 'ours'" : "TRUEPREDICATE"
    let isNameSeen = !hiddenFields.contains("name")
    let writes = [read, "FALSEPREDICATE", isNameSeen ? "\(read) AND name BEGINSWITH 't'" : read]
    hidesCode = Bool.random(using: &dice)
    let seen =
      hidesCode ? Server.allExcept(hiddenFields, inPlaces: ["code"]) : FieldAccess.allExcept(hiddenFields)
    let mayWriteBlindly = Int.random(in: 0..<3, using: &dice) == 0
    let written = mayWriteBlindly ? FieldAccess.allExcept(["team"]) : seen
    var limits = DeliveryLimits(
      messageByteCount: dice.pick([100, 1_000, 100_000]),
      changesetByteCount: dice.pick([60, 500, 50_000])
    )
    // Simulated time stands still within a turn, so turns are limited by the number of their steps.
    limits.turn.stepCount = dice.pick([100, 10_000])
    hasShortTurns = limits.turn.stepCount == 100
    worlds = try TwoWorlds(
      Permissions(classes: [
        "Person": try Server.role(
          read: read,
          write: writes.randomElement(using: &dice),
          insert: mayInsert,
          delete: Bool.random(using: &dice),
          readable: seen,
          writable: Bool.random(using: &dice) ? written : written.intersection(.only(["team", "notes"]))
        )
      ]),
      query: nil,
      limits: limits,
      networkSeed: seed,
      // An estimate tells how much the server has done so far. With short turns, the time that hidden changes take
      // determines how much that is.
      comparesEstimates: !hasShortTurns,
      keepsLog: keepsLog
    )
  }

  /// A description of what is hidden from the adversary.
  var description: String {
    let fields = (hiddenFields.sorted() + (hidesCode ? ["home.code"] : [])).joined(separator: ", ")
    return "hidden are the fields [\(fields)]" + (hidesObjects ? " and the objects of the other team" : "")
  }

  /// Performs a random action of the adversary or another user.
  mutating func act() {
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

  // MARK: Other users

  /// Makes changes the adversary may see, together with changes it may not see.
  private mutating func others() {
    var visible: [Instruction] = []
    var hidden = (self.hidden(in: 0), self.hidden(in: 1))
    if hidesObjects, Bool.random(using: &dice) {
      let number = Int64.random(in: AdversaryGame.leaving, using: &dice)
      let object = Server.person(number)
      switch isOurs[number] {
      case nil:
        visible = Server.newPerson(number, team: "ours", salary: 50)
        isOurs[number] = true
      case true?:
        // The adversary must not learn whether the object moves to the other team or is deleted.
        hidden.0 += [AttackedServer.set("team", .string("theirs"), of: object)]
        hidden.1 +=
          Bool.random(using: &hiddenDice[1]) ? [.eraseObject(object)] : Array(hidden.0.suffix(1))
        isOurs[number] = false
      case false?: break
      }
    } else {
      let object = Server.person(.random(in: AdversaryGame.seen, using: &dice))
      visible = [
        .createObject(object), AttackedServer.set("team", .string("ours"), of: object),
        .update(PropertyPath(object: object, field: "home"), .object, .isDefault(false)),
      ]
      if !hiddenFields.contains("name") {
        visible.append(AttackedServer.set("name", .string(token()), of: object))
      }
      if Int.random(in: 0..<5, using: &dice) == 0 {
        visible = [.eraseObject(object)]
        // Changing an object in the transaction that deletes it makes the server refuse the deletion, which the
        // adversary may see.
        hidden.0.removeAll { $0.object == object }
        hidden.1.removeAll { $0.object == object }
      }
    }
    worlds.meanwhile((visible + hidden.0, visible + hidden.1))
  }

  /// Returns changes that the adversary may not see.
  private mutating func hidden(in world: Int) -> [Instruction] {
    var instructions: [Instruction] = []
    for _ in 0..<Int.random(in: 0...2, using: &hiddenDice[world]) {
      if hidesObjects, Bool.random(using: &hiddenDice[world]) {
        let number = Int64.random(in: AdversaryGame.unseen, using: &hiddenDice[world])
        let salary = Int64.random(in: 0...100, using: &hiddenDice[world])
        let isErasure = Int.random(in: 0..<3, using: &hiddenDice[world]) == 0
        instructions +=
          isErasure
          ? [.eraseObject(Server.person(number))]
          : Server.newPerson(number, team: "theirs", salary: salary)
      } else if hidesCode, Bool.random(using: &hiddenDice[world]) {
        let number = Int64.random(in: AdversaryGame.seen, using: &hiddenDice[world])
        let value = Int64.random(in: 0...100, using: &hiddenDice[world])
        instructions.append(
          .update(AdversaryGame.code(number), .value(.string("t\(value)")), .isDefault(false))
        )
      } else if let field = hiddenFields.sorted().randomElement(using: &hiddenDice[world]) {
        let number = Int64.random(in: AdversaryGame.seen, using: &hiddenDice[world])
        instructions += change(field, of: number, in: world)
      }
    }
    return instructions
  }

  private static func code(_ number: Int64) -> PropertyPath {
    PropertyPath(object: Server.person(number), field: "home", path: [.name("code")])
  }

  private mutating func change(_ field: String, of number: Int64, in world: Int) -> [Instruction] {
    let object = Server.person(number)
    let value = Int64.random(in: 0...100, using: &hiddenDice[world])
    return switch field {
    case "salary": [AttackedServer.set(field, .int(value), of: object)]
    case "extra": [AttackedServer.set(field, .int(value), of: object)]
    case "notes":
      [
        .clear(PropertyPath(object: object, field: field), .list),
        .arrayInsert(
          PropertyPath(object: object, field: field, path: [.index(0)]),
          .value(.string("\(value)")),
          priorSize: 0
        ),
      ]
    default: [AttackedServer.set(field, .string("t\(value)"), of: object)]
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
      let ranges = [AdversaryGame.seen, AdversaryGame.leaving, AdversaryGame.unseen, 30...31]
      instructions += attempt(
        .random(in: ranges.randomElement(using: &dice) ?? AdversaryGame.seen, using: &dice)
      )
    }
    let isLate = Int.random(in: 0..<3, using: &dice) == 0
    worlds.attack { $0.upload(instructions, isLate: isLate) }
    if dice.chance(20) { worlds.attack { $0.mark() } }
  }

  private mutating func attempt(_ number: Int64) -> [Instruction] {
    let object = Server.person(number)
    let path = PropertyPath(object: object, field: "notes", path: [.index(0)])
    let salary = Int64.random(in: 0...100, using: &dice)
    let attempts: [[Instruction]] = [
      [.eraseObject(object)], [AttackedServer.set("name", .string(token()), of: object)],
      [AttackedServer.set("salary", .int(salary), of: object)],
      [.addInteger(PropertyPath(object: object, field: "salary"), delta: 1)],
      [.arrayInsert(path, .value(.string("n")), priorSize: 0)], [.arrayErase(path, priorSize: 1)],
      [AttackedServer.set("team", .string("theirs"), of: object)],
      [.createObject(object), AttackedServer.set("team", .string("theirs"), of: object)],
      Server.newPerson(number, team: "ours", salary: salary),
      [.eraseObject(object)] + Server.newPerson(number, team: "ours"),
      // A changeset that ends the session also ends what the server sends. With short turns, the time that hidden
      // changes take would determine how much that is.
      [AttackedServer.set(hasShortTurns ? "extra" : "nothing", .int(1), of: object)],
      [
        .update(
          PropertyPath(object: object, field: "extra", path: [.name("a")]),
          .value(.int(1)),
          .isDefault(false)
        )
      ],
      [.clear(PropertyPath(object: object, field: "notes"), .list)],
      [.update(AdversaryGame.code(number), .value(.string("mine")), .isDefault(salary > 50))],
      [.update(PropertyPath(object: object, field: "home"), .value(.null), .isDefault(false))],
      [
        .update(PropertyPath(object: object, field: "home"), .object, .isDefault(false)),
        .update(
          PropertyPath(object: object, field: "home", path: [.name("street")]),
          .value(.string("mine")),
          .isDefault(false)
        ),
      ],
    ]
    return attempts.randomElement(using: &dice) ?? []
  }
}
