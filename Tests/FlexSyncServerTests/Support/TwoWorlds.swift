// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import Testing

@testable import FlexSyncServer

/// Two servers that differ in nothing that the attacker may see.
struct TwoWorlds {
  struct World {
    let server: AttackedServer
    /// May do everything.
    let admin: Attacker
    let attacker: Attacker
  }

  let first: World
  let second: World

  /// - Parameters:
  ///   - hidden: what others have written before the attacker comes, in each of the worlds.
  ///   - query: what the attacker subscribes to of the people.
  init(
    _ permissions: Permissions,
    visible: [Instruction] = [],
    hidden: ([Instruction], [Instruction]) = ([], []),
    query: String? = "TRUEPREDICATE",
    limits: DeliveryLimits = DeliveryLimits()
  ) throws {
    func world(_ instructions: [Instruction]) throws -> World {
      let server = try AttackedServer(permissions, limits: limits)
      let admin = try Attacker(server, userID: "admin", query: "TRUEPREDICATE")
      admin.upload(visible + instructions)
      return World(server: server, admin: admin, attacker: try Attacker(server, query: query))
    }
    first = try world(hidden.0)
    second = try world(hidden.1)
  }

  /// Has the attacker do the same in both worlds.
  func attack(_ body: (Attacker) -> Void) {
    for world in [first, second] { body(world.attacker) }
  }

  /// Has somebody write something else in each of the worlds.
  func meanwhile(_ instructions: ([Instruction], [Instruction])) {
    for (world, instructions) in [(first, instructions.0), (second, instructions.1)] {
      world.admin.receive()
      world.admin.upload(instructions)
      world.attacker.receive()
    }
  }

  /// All answers are equal, byte for byte.
  func expectEqual(_ words: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
    let (left, right) = (first.attacker, second.attacker)
    guard left.bytes != right.bytes else { return }
    let index = zip(left.bytes, right.bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let place = index ?? min(left.messages.count, right.messages.count)
    func text(_ attacker: Attacker) -> String {
      attacker.messages.dropFirst(place).first.map { "\($0)" } ?? "nothing"
    }
    Issue.record(
      "\(words): answer \(place) is \(text(left)) in one world and \(text(right)) in the other",
      sourceLocation: sourceLocation
    )
  }
}
