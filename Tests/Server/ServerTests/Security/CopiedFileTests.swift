// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncSimulator
import FlexSyncWire
import Testing

@testable import FlexSyncRules
@testable import FlexSyncServer

/// The attacker has a copy of the file of a user who may see everything, and who has written nothing.
@Suite("A copy of another user's file tells nothing of what came later")
struct CopiedFileTests {
  private typealias Server = AttackedServer

  /// - Parameter query: what the owner of the file subscribes to.
  private static func worlds(query: String) throws -> (TwoWorlds, owners: (Attacker, Attacker)) {
    let worlds = try TwoWorlds(
      Permissions(classes: ["Person": try Server.role(read: "team == 'ours'", write: "FALSEPREDICATE")]),
      visible: Server.newPerson(1, team: "ours", salary: 90) + Server.newPerson(2, team: "theirs", salary: 90)
        + Server.newPerson(3, team: "theirs", salary: 10),
      query: nil
    )
    func owner(_ world: TwoWorlds.World) -> Attacker {
      let owner = Attacker(world.server, userID: "owner", query: query)
      owner.mark()
      owner.disconnect()
      return owner
    }
    return (worlds, (owner(worlds.first), owner(worlds.second)))
  }

  private static func open(
    _ worlds: TwoWorlds,
    _ owners: (Attacker, Attacker),
    isKnown: Bool = false
  ) {
    worlds.first.attacker.open(copyOf: owners.0, isKnown: isKnown)
    worlds.second.attacker.open(copyOf: owners.1, isKnown: isKnown)
  }

  /// What happens to objects that the attacker may not see.
  private static let hidden: [[Instruction]] = [
    Server.newPerson(4, team: "theirs", salary: 90), Server.newPerson(5, team: nil, salary: 10),
    [TaskTracker.set("salary", .int(99), of: Server.person(2))],
    [TaskTracker.set("salary", .int(95), of: Server.person(3))],
    [TaskTracker.set("salary", .int(95), of: Server.person(5))],
    Server.newPerson(6, team: "theirs", salary: 90) + [.eraseObject(Server.person(4))],
  ]

  @Test(
    "Whether there are new objects that the attacker may not see, however often it opens the copy",
    arguments: ["TRUEPREDICATE", "salary > 50"]
  )
  func laterObjects(query: String) throws {
    let (worlds, owners) = try Self.worlds(query: query)
    for instructions in Self.hidden {
      worlds.meanwhile((instructions, []))
      worlds.meanwhile(
        (Server.newPerson(9, team: "ours", salary: 90), Server.newPerson(9, team: "ours", salary: 90))
      )
      Self.open(worlds, owners)
      worlds.attack { attacker in
        attacker.mark()
        attacker.reconnect()
        attacker.mark()
      }
      // As if the connection had been lost before anything came.
      for _ in 0..<2 {
        Self.open(worlds, owners, isKnown: true)
        worlds.attack { $0.mark() }
      }
    }
    worlds.expectEqual(query)
  }

  @Test("What the attacker may not see of the copy is erased, and what it may see comes")
  func erasures() throws {
    let (worlds, owners) = try Self.worlds(query: "TRUEPREDICATE")
    worlds.meanwhile((Server.newPerson(4, team: "theirs") + Server.newPerson(5, team: "ours"), []))
    Self.open(worlds, owners)
    worlds.attack { $0.mark() }
    var (created, erased): (Set<PrimaryKey>, Set<PrimaryKey>) = ([], [])
    for case .download(let download) in worlds.first.attacker.messages {
      for instruction in try download.entries.flatMap({ try ChangesetCodec.decode($0.changeset).instructions }
      ) {
        if case .createObject(let object) = instruction { created.insert(object.key) }
        if case .eraseObject(let object) = instruction { erased.insert(object.key) }
      }
    }
    #expect(erased == [.int(2), .int(3)])
    #expect(created == [.int(5)])
  }
}
