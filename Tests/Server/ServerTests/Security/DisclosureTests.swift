// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncSimulator
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules
@testable import FlexSyncServer

/// An attacker who knows all keys and all values that a field can have asks for the rest. Two worlds differ only in what
/// the attacker may not see; every answer has to be the same in both, to the byte.
@Suite("Answers tell nothing that is hidden")
struct DisclosureTests {
  private typealias Server = AttackedServer

  /// What the attacker may do with people whose salary it may not see.
  private static func rolesHidingSalary() throws -> [ClassPermission] {
    let seen = FieldAccess.allExcept(["salary"])
    return [
      try Server.role(readable: seen),
      try Server.role(write: "FALSEPREDICATE", readable: seen),
      try Server.role(write: "name == 'me'", readable: seen),
      try Server.role(insert: false, delete: false, readable: seen),
      try Server.role(readable: seen, writable: .only(["name"])),
      try Server.role(read: "team == 'ours'", readable: seen),
    ]
  }

  private static let salaryQueries = [
    "salary <= 50", "salary > 50", "NOT salary <= 50", "salary == 10", "salary <= 50 AND team == 'ours'",
    "salary <= 50 OR team == 'theirs'", "team == 'ours' OR salary <= 50",
    "(team == 'ours' AND (salary > 50 OR name == 'x'))",
    "_id == 1 OR salary > 50", "TRUEPREDICATE",
  ]

  private static func set(_ field: String, _ value: Value, _ number: Int64 = 1) -> [Instruction] {
    [TaskTracker.set(field, value, of: Server.person(number))]
  }

  /// What can be tried with a person, each in a transaction of its own.
  private static func tries(_ number: Int64) -> [[Instruction]] {
    let object = Server.person(number)
    func path(_ field: String, _ path: [PathElement] = []) -> PropertyPath {
      PropertyPath(object: object, field: field, path: path)
    }
    return [
      set("name", .string("touched"), number), set("team", .string("ours"), number),
      set("salary", .int(10), number), set("salary", .int(90), number), set("salary", .int(0), number),
      [.addInteger(path("salary"), delta: 1)],
      set("name", .string("x"), number) + set("salary", .int(10), number),
      [.arrayInsert(path("notes", [.index(0)]), .value(.string("n")), priorSize: 0)],
      [.arrayErase(path("notes", [.index(0)]), priorSize: 1)], [.clear(path("notes"), .list)],
      [.update(path("extra", [.name("a")]), .value(.int(1)), .isDefault(false))],
      set("nothing", .int(1), number), set("name", .int(1), number),
      [.createObject(object)], [.createObject(object)] + set("salary", .int(90), number),
      Server.newPerson(number, team: "theirs", salary: 10),
      [.eraseObject(object)] + Server.newPerson(number, team: "theirs"), [.eraseObject(object)],
      set("name", .string("after"), number),
    ]
  }

  @Test("A hidden field, by subscriptions on it and writes to its object")
  func hiddenField() throws {
    for (number, role) in try Self.rolesHidingSalary().enumerated() {
      for query in Self.salaryQueries {
        let worlds = try TwoWorlds(
          Permissions(classes: ["Person": role]),
          hidden: (
            Server.newPerson(1, team: "ours", salary: 10), Server.newPerson(1, team: "ours", salary: 90)
          ),
          query: query
        )
        worlds.attack { attacker in
          for instructions in Self.tries(1) { attacker.upload(instructions) }
          attacker.mark()
        }
        worlds.expectEqual("role \(number), \(query)")
      }
    }
  }

  @Test("A subscription on a hidden field selects nothing, those joined with it still do")
  func branches() throws {
    let server = try Server(
      Permissions(classes: ["Person": try Server.role(readable: .allExcept(["salary"]))])
    )
    let admin = Attacker(server, userID: "admin", query: "TRUEPREDICATE")
    admin.upload(
      Server.newPerson(1, team: "ours", salary: 10) + Server.newPerson(2, team: "theirs", salary: 10)
    )
    let attacker = Attacker(server, query: "salary == 10 OR team == 'ours'")
    #expect(try attacker.objects() == [Server.person(1)])
    attacker.upload(Self.set("name", .string("changed"), 2))
    #expect(attacker.rejections.map(\.key) == [.int(2)])
  }

  @Test("Whether a hidden object exists and what is in it, by writes to its key")
  func hiddenObject() throws {
    let roles = [
      // Whoever may create objects learns by creating one that a key is taken.
      try Server.role(read: "team == 'ours'", insert: false, delete: false),
      try Server.role(read: "team == 'ours'", write: "FALSEPREDICATE"),
      try Server.role(read: "team == 'ours'", write: "name == 'nobody' AND team == 'ours'"),
      try Server.role(read: "team == 'ours'", insert: false, readable: .allExcept(["salary"])),
      try Server.role(read: "salary > 100", insert: false, readable: .allExcept(["salary"])),
      try Server.role(read: "FALSEPREDICATE"),
    ]
    let hidden = [
      Server.newPerson(2, team: "theirs"), Server.newPerson(2, team: nil, salary: 10, notes: ["n"]),
      Server.newPerson(2, team: "theirs", salary: 90, notes: ["a", "b"])
        + [
          .update(PropertyPath(object: Server.person(2), field: "extra"), .dictionary, .isDefault(false))
        ],
    ]
    for (number, role) in roles.enumerated() {
      for content in hidden {
        for query in ["TRUEPREDICATE", "team == 'theirs'", "salary > 5"] {
          let worlds = try TwoWorlds(
            Permissions(classes: ["Person": role]),
            visible: Server.newPerson(1, team: "ours", salary: 200),
            hidden: (content, []),
            query: query
          )
          worlds.attack { attacker in
            for instructions in Self.tries(2) { attacker.upload(instructions) }
            // Together with what is allowed or forbidden for other reasons.
            attacker.upload(Self.set("name", .string("y")) + Self.set("name", .string("y"), 2))
            attacker.upload(Self.set("nothing", .int(1), 2) + Self.set("nothing", .int(2)))
            attacker.mark()
          }
          worlds.expectEqual("role \(number), \(query)")
        }
      }
    }
  }

  @Test("An object of a class without a role is as if it did not exist")
  func noRole() throws {
    let secret = ObjectReference(table: "Secret", key: .int(1))
    let name = TaskTracker.set("name", .string("x"), of: secret)
    let worlds = try TwoWorlds(
      Permissions(classes: ["Person": try Server.role()]),
      hidden: ([.createObject(secret), name], [])
    )
    worlds.attack { attacker in
      attacker.subscribe("TRUEPREDICATE", others: #","Secret":"(TRUEPREDICATE)""#)
      for instructions in [
        [name], [.createObject(secret)], [.createObject(secret), name], [.eraseObject(secret)],
      ] {
        attacker.upload(instructions)
      }
      attacker.mark()
    }
    worlds.expectEqual()
    #expect(worlds.first.attacker.rejections.count == 4)
    #expect(
      worlds.first.attacker.rejections.allSatisfy {
        $0.reason.hasSuffix("object is outside of the current query view")
      }
    )
  }

  @Test("What was ingested is not told to those who may not ingest it")
  func ingested() throws {
    let reading = ObjectReference(table: "Reading", key: .int(1))
    let permissions = [
      Permissions(classes: ["Person": try Server.role()]),
      Permissions(classes: [
        "Person": try Server.role(),
        "Reading": ClassPermission(role: "attacker", read: .always, write: .always, insert: .never),
      ]),
    ]
    for permissions in permissions {
      let worlds = try TwoWorlds(permissions, hidden: ([.createObject(reading)], []))
      worlds.attack { attacker in
        attacker.upload([.createObject(reading)])
        attacker.upload([TaskTracker.set("name", .string("x"), of: reading)])
        attacker.upload([.eraseObject(reading)])
        attacker.mark()
      }
      worlds.expectEqual()
    }
  }

  @Test("Whether an object that has left the view was deleted or hidden")
  func leftMeanwhile() throws {
    let object = Server.person(1)
    for role in [
      try Server.role(read: "team == 'ours'"), try Server.role(read: "team == 'ours'", insert: false),
    ] {
      for instructions in Self.tries(1) where !instructions.contains(.createObject(object)) {
        let worlds = try TwoWorlds(
          Permissions(classes: ["Person": role]),
          visible: Server.newPerson(1, team: "ours", notes: ["n"]),
          hidden: ([], [])
        )
        worlds.attack { $0.upload([]) }
        worlds.meanwhile((Self.set("team", .string("theirs")), [.eraseObject(object)]))
        worlds.attack { attacker in
          attacker.upload(instructions, isLate: true)
          attacker.upload(instructions, isLate: true)
          attacker.mark()
        }
        worlds.expectEqual("\(instructions)")
      }
    }
  }

  @Test("Whoever may see all objects of a class deletes a missing one without an error")
  func missingInOpenClass() throws {
    let server = try Server(Permissions(classes: ["Person": try Server.role()]))
    let attacker = Attacker(server, query: "TRUEPREDICATE")
    attacker.upload([.eraseObject(Server.person(7))])
    attacker.mark()
    #expect(attacker.rejections.isEmpty)
  }

  @Test("How many objects are hidden and since when, by order, batches and progress of bootstraps")
  func bootstraps() throws {
    let ours = [1, 2, 7].flatMap { Server.newPerson($0, team: "ours") }
    let others = (10..<60).flatMap { Server.newPerson($0, team: "theirs") }
    let worlds = try TwoWorlds(
      Permissions(classes: ["Person": try Server.role(read: "team == 'ours'")]),
      hidden: (
        Server.newPerson(5, team: "theirs") + others + ours + Self.set("team", .string("ours"), 5),
        ours + Server.newPerson(5, team: "ours")
      ),
      limits: DeliveryLimits(messageByteCount: 60, changesetByteCount: 60)
    )
    worlds.attack { $0.mark() }
    worlds.expectEqual()
    let estimates = worlds.first.attacker.messages.compactMap { message -> Double? in
      guard case .download(let download) = message, download.queryVersion == 1 else { return nil }
      return download.progressEstimate
    }
    #expect(estimates.count > 2 && estimates == estimates.sorted() && estimates[0] < 1)
  }

  @Test("What others do with hidden objects and fields, to a client that listens or comes back")
  func whatHappensMeanwhile() throws {
    let role = try Server.role(read: "team == 'ours'", readable: .allExcept(["salary", "notes"]))
    for query in ["TRUEPREDICATE", "salary > 50", "team == 'ours' OR salary > 50"] {
      let worlds = try TwoWorlds(
        Permissions(classes: ["Person": role]),
        visible: Server.newPerson(1, team: "ours"),
        hidden: (Server.newPerson(2, team: "theirs"), []),
        query: query
      )
      for number in [3, 5] as [Int64] {
        worlds.meanwhile(
          (
            Self.set("salary", .int(60 + number)) + Server.newPerson(number, team: "theirs", salary: 70)
              + Self.set("name", .string("x")),
            Self.set("name", .string("x"))
          )
        )
        worlds.meanwhile((Self.set("name", .string("y"), number) + Self.set("salary", .int(5)), []))
        worlds.attack { attacker in
          attacker.mark()
          attacker.reconnect()
          attacker.mark()
          attacker.subscribe("name == 'x' OR salary == 5")
          attacker.subscribe("nothing == 5")
          attacker.subscribe(query)
          attacker.mark()
        }
      }
      worlds.expectEqual(query)
    }
  }
}

extension DisclosureTests {
  @Test(
    "Which refused fields an answer names does not depend on whether the rest fits what is hidden",
    arguments: [false, true]
  )
  func namedFields(isRecreation: Bool) throws {
    let role = try Server.role(readable: .allExcept(["notes"]), writable: .only(["team"]))
    let worlds = try TwoWorlds(
      Permissions(classes: ["Person": role]),
      hidden: (
        Server.newPerson(1, team: "ours", notes: ["n"]), Server.newPerson(1, team: "ours")
      )
    )
    let person = Server.person(1)
    let note = PropertyPath(object: person, field: "notes", path: [.index(0)])
    worlds.attack { attacker in
      let recreation: [Instruction] =
        isRecreation ? [.eraseObject(person), .createObject(person)] + Self.set("team", .string("ours")) : []
      attacker.upload([.arrayErase(note, priorSize: 1)] + recreation + Self.set("name", .string("x")))
      attacker.mark()
    }
    #expect(worlds.first.attacker.rejections.first?.detail?.contains("\"name\"") == true)
    worlds.expectEqual()
  }

  @Test(
    "A refused attempt to make an object anew brings nothing of what is hidden in it",
    arguments: [false, true]
  )
  func refusedRecreation(mayDelete: Bool) throws {
    let role = try Server.role(
      write: mayDelete ? "FALSEPREDICATE" : nil,
      delete: mayDelete,
      readable: .allExcept(["salary"])
    )
    let worlds = try TwoWorlds(
      Permissions(classes: ["Person": role]),
      hidden: (
        Server.newPerson(1, team: "ours", salary: 10), Server.newPerson(1, team: "ours", salary: 90)
      )
    )
    let person = Server.person(1)
    let salary = PropertyPath(object: person, field: "salary")
    worlds.attack { attacker in
      attacker.upload([
        .eraseObject(person), .createObject(person), .update(salary, .value(.int(0)), .isDefault(true)),
      ])
      attacker.mark()
    }
    #expect(worlds.first.attacker.rejections.count == 1)
    worlds.expectEqual()
  }
}

extension Attacker {
  /// The objects that the client was sent, and not an erasure since.
  fileprivate func objects() throws -> Set<ObjectReference> {
    var objects: Set<ObjectReference> = []
    for message in messages {
      guard case .download(let download) = message else { continue }
      for instruction in try download.entries.flatMap({ try ChangesetCodec.decode($0.changeset).instructions }
      ) {
        switch instruction {
        case .createObject(let object): objects.insert(object)
        case .eraseObject(let object): objects.remove(object)
        default: break
        }
      }
    }
    return objects
  }
}

extension TwoWorlds {
  /// All answers are equal, byte for byte.
  func expectEqual(_ words: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
    guard let difference else { return }
    Issue.record("\(words): \(difference)", sourceLocation: sourceLocation)
  }
}
