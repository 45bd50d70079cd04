// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// An action of, or on, the device that syncs as Realm's clients do.
enum PeerAction: Sendable {
  /// A realm's app commits transactions.
  case write(Int, transactions: Int, edits: Int, seed: UInt64)
  /// A realm's app requests another view.
  case subscribe(Int, view: Int)
  /// A session ends and another one begins later, while the other sessions on the connection continue.
  case pause(Int, milliseconds: UInt64)
  /// A realm gets a file ident that the server does not have, or has with another salt, so the realm must be reset;
  /// if repeated, again as soon as it has been. The connection breaks, or the process dies, after some messages.
  case moveIn(Int, isUnknown: Bool, isRepeated: Bool, interruption: PeerInterruption?)
  case breakConnection(clientNotices: Bool, serverNotices: Bool)
  /// Nothing arrives for some time.
  case partition(milliseconds: UInt64)
  /// The device does not read for some time.
  case stallReader(milliseconds: UInt64)
  /// The process is killed and restarts later.
  case kill(milliseconds: UInt64)
}

/// An interruption of a client reset.
struct PeerInterruption: Sendable {
  /// The number of messages, in either direction, before the interruption.
  let messageCount: Int
  /// Whether the process dies, rather than only the connection breaking.
  let isCrash: Bool
}

/// The plan of a device that syncs as Realm's clients do. It is drawn from the seed with a separate generator, so
/// that the rest of the seed's plan is the same without it.
struct PeerPlan: Sendable {
  let realmCount: Int
  private(set) var hasResets: Bool
  /// The generator for the device's own choices.
  private(set) var random: SeededGenerator
  private(set) var steps: [Plan.Step] = []

  /// - Parameter duration: The duration of the rest of the plan, in simulated milliseconds.
  init(seed: UInt64, duration: UInt64) {
    var random = SeededGenerator(seed: seed &* 0x9e6c_63d0_876a_68e5)
    realmCount = random.number(in: 1...3)
    hasResets = random.chance(75)
    self.random = random.split()
    for realm in 0..<realmCount {
      add(
        .subscribe(realm, view: random.number(below: ItemView.count)),
        at: random.number(in: 0...duration / 4)
      )
    }
    for _ in 0..<random.number(in: 15...60) {
      let action = action(&random)
      add(action, at: random.number(in: 0...duration))
    }
    steps.sort { $0.time < $1.time }
  }

  private mutating func add(_ action: PeerAction, at time: UInt64) {
    steps.append(Plan.Step(time: time, action: .peer(action)))
  }

  private func action(_ random: inout SeededGenerator) -> PeerAction {
    let realm = random.number(below: realmCount)
    let long = random.number(in: UInt64(100)...100_000)
    switch random.number(in: 0...99) {
    case 0..<10: return .subscribe(realm, view: random.number(below: ItemView.count))
    case 10..<17: return .pause(realm, milliseconds: long)
    case 17..<29 where hasResets: return moveIn(realm, &random)
    case 29..<34:
      let clientNotices = random.chance(70)
      return .breakConnection(
        clientNotices: clientNotices,
        serverNotices: !clientNotices || random.chance(50)
      )
    case 34..<37: return .partition(milliseconds: long)
    case 37..<40: return .stallReader(milliseconds: long)
    case 40..<43: return .kill(milliseconds: random.number(in: 0...5_000))
    default:
      return .write(
        realm,
        transactions: random.chance(10) ? random.number(in: 2...20) : 1,
        edits: random.number(in: 0...4),
        seed: random.next()
      )
    }
  }

  private func moveIn(_ realm: Int, _ random: inout SeededGenerator) -> PeerAction {
    let isInterrupted = random.chance(60)
    let interruption = PeerInterruption(
      messageCount: random.number(in: 1...25),
      isCrash: random.chance(40)
    )
    return .moveIn(
      realm,
      isUnknown: random.chance(60),
      isRepeated: random.chance(25),
      interruption: isInterrupted ? interruption : nil
    )
  }
}
