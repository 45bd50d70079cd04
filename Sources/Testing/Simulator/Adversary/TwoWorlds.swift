// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncEngine
import FlexSyncRules
import FlexSyncWire

/// Two servers that differ only in data the attacker may not see.
package struct TwoWorlds {
  package struct World {
    package let server: AttackedServer
    /// A client with full access.
    package let admin: Attacker
    package let attacker: Attacker
  }

  package let first: World
  package let second: World
  /// Whether estimates of progress must be equal, too.
  private let comparesEstimates: Bool

  /// - Parameters:
  ///   - hidden: The changes that others make in each of the worlds before the attacker connects.
  ///   - query: The attacker's subscription to people.
  package init(
    _ permissions: Permissions,
    visible: [Instruction] = [],
    hidden: ([Instruction], [Instruction]) = ([], []),
    query: String? = "TRUEPREDICATE",
    limits: DeliveryLimits = DeliveryLimits()
  ) throws {
    try self.init(permissions, visible, hidden, query: query, limits: limits, networkSeed: nil)
  }

  /// - Parameters:
  ///   - networkSeed: Determines the delays of the attacker's messages; nil if they arrive immediately.
  ///   - comparesEstimates: Whether estimates of progress must be equal, too.
  init(
    _ permissions: Permissions,
    _ visible: [Instruction] = [],
    _ hidden: ([Instruction], [Instruction]) = ([], []),
    query: String?,
    limits: DeliveryLimits,
    networkSeed: UInt64?,
    comparesEstimates: Bool = true,
    keepsLog: Bool = false
  ) throws {
    self.comparesEstimates = comparesEstimates
    func world(_ instructions: [Instruction]) throws -> World {
      let server = try AttackedServer(permissions, limits: limits, seed: networkSeed, keepsLog: keepsLog)
      let admin = Attacker(server, userID: "admin", query: "TRUEPREDICATE")
      admin.upload(visible + instructions)
      let attacker = Attacker(
        server,
        userID: "attacker",
        query: query,
        waitsForAnswers: networkSeed == nil
      )
      return World(server: server, admin: admin, attacker: attacker)
    }
    first = try world(hidden.0)
    second = try world(hidden.1)
  }

  var worlds: [World] { [first, second] }

  /// Advances the simulated time of both worlds.
  func run(milliseconds: UInt64) {
    for world in worlds { world.server.run(milliseconds: milliseconds) }
  }

  /// Makes the attacker do the same in both worlds.
  package func attack(_ body: (Attacker) -> Void) {
    for world in worlds { body(world.attacker) }
  }

  /// Makes another user write different changes in each of the worlds.
  package func meanwhile(_ instructions: ([Instruction], [Instruction])) {
    for (world, instructions) in [(first, instructions.0), (second, instructions.1)] {
      world.admin.upload(instructions)
    }
  }

  /// The first difference, byte for byte, between the answers in the two worlds; nil if there is none.
  package var difference: String? {
    let (left, right) = (first.attacker, second.attacker)
    let answers = (left.bytes.map(compared), right.bytes.map(compared))
    guard answers.0 != answers.1 else { return nil }
    let index = zip(answers.0, answers.1).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let place = index ?? min(left.messages.count, right.messages.count)
    func text(_ attacker: Attacker) -> String {
      attacker.messages.dropFirst(place).first.map { "\($0)" } ?? "nothing"
    }
    return "answer \(place) is \(text(left)) in one world and \(text(right)) in the other"
  }

  /// Returns an answer without the parts that may differ.
  private func compared(_ answer: [UInt8]) -> [UInt8] {
    guard !comparesEstimates, case .download(var download)? = try? ServerMessage.decode(answer) else {
      return answer
    }
    download.progressEstimate = 1
    return ServerMessage.download(download).encode()
  }
}

extension AttackedServer {
  /// Enough time for all answers if messages arrive immediately.
  private static let patience: UInt64 = 20

  /// Runs everything that is due.
  func settle() { run(milliseconds: Self.patience) }
}
