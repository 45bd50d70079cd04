// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// An action of, or on, the device that syncs as Realm's clients do.
enum PeerAction: Sendable {
  /// A realm's app commits transactions.
  case write(Int, Plan.Writes)
  /// A realm's app requests another view.
  case subscribe(Int, view: Int)
  /// A session ends and another one begins later, while the other sessions on the connection continue.
  case pause(Int, milliseconds: UInt64)
  /// A realm gets a file ident that the server does not have, or has with another salt, so the realm must be reset;
  /// if repeated, again as soon as it has been. The connection breaks, or the process dies, after some messages.
  case moveIn(Int, isUnknown: Bool, isRepeated: Bool, interruption: PeerInterruption?)
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

  /// - Parameters:
  ///   - device: The number of the device.
  ///   - duration: The duration of the rest of the plan, in simulated milliseconds.
  init(seed: UInt64, device: Int, duration: UInt64) {
    var random = SeededGenerator(seed: seed &* 0x9e6c_63d0_876a_68e5)
    realmCount = random.number(in: 1...3)
    hasResets = random.chance(75)
    self.random = random.split()
    for realm in 0..<realmCount {
      let action = PeerAction.subscribe(realm, view: random.number(below: ItemView.count))
      steps.append(Plan.Step(time: random.number(in: 0...duration / 4), action: .peer(action)))
    }
    for _ in 0..<random.number(in: 15...60) {
      let action = action(device, &random)
      steps.append(Plan.Step(time: random.number(in: 0...duration), action: action))
    }
    steps.sort { $0.time < $1.time }
  }

  private func action(_ device: Int, _ random: inout SeededGenerator) -> Plan.Action {
    let realm = random.number(below: realmCount)
    let long = random.number(in: UInt64(100)...100_000)
    switch random.number(in: 0...99) {
    case 0..<10: return .peer(.subscribe(realm, view: random.number(below: ItemView.count)))
    case 10..<17: return .peer(.pause(realm, milliseconds: long))
    case 17..<29 where hasResets: return .peer(moveIn(realm, &random))
    case 29..<34:
      let clientNotices = random.chance(70)
      let serverNotices = !clientNotices || random.chance(50)
      return .breakConnection(device, clientNotices: clientNotices, serverNotices: serverNotices)
    case 34..<37: return .partition(device, milliseconds: long)
    case 37..<40: return .stallReader(device, milliseconds: long)
    case 40..<43: return .peer(.kill(milliseconds: random.number(in: 0...5_000)))
    default: return .peer(.write(realm, Plan.Writes(&random)))
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
