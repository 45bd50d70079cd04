// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// The actions on a simulated world and their times. The plan depends on the seed alone; removing steps, as the
/// shrinker does, does not change the others.
package struct Plan: Sendable {
  /// The process or machine where a fault occurs.
  enum Place: Hashable, Sendable {
    case server
    case client(Int)
  }

  /// An action in a simulation.
  enum Action: Sendable {
    /// A client commits transactions.
    case write(Int, Writes)
    /// A client requests another view.
    case subscribe(Int, view: Int)
    /// A client is offline for some time, and its app continues to write.
    case goAway(Int, milliseconds: UInt64)
    /// Nothing arrives from or at a client for some time.
    case partition(Int, milliseconds: UInt64)
    /// A client does not read for some time.
    case stallReader(Int, milliseconds: UInt64)
    /// A connection breaks.
    case breakConnection(Int, clientNotices: Bool, serverNotices: Bool)
    /// A process is killed and restarts later.
    case kill(Place, milliseconds: UInt64)
    /// A process is killed in the middle of a disk operation.
    case killDuringChange(Place, number: Int, milliseconds: UInt64)
    /// A machine loses power and restarts later.
    case losePower(Place, milliseconds: UInt64)
    /// A machine loses power in the middle of a disk operation.
    case losePowerDuringChange(Place, number: Int, milliseconds: UInt64)
    /// Some operations of a disk fail.
    case failDisk(Place, number: Int, count: Int)
    /// A disk is full for some time.
    case fillDisk(Place, milliseconds: UInt64)
    /// A device's clock is wrong from now on.
    case setClock(Int, error: Int64)
    /// A client is offline for longer than the server remembers it, and must be reset when it returns.
    case goAwayTooLong(Int)
    /// A client's app is upgraded to a version whose schema has more classes and properties.
    case upgrade(Int)
    /// The operator assigns another role to a client's user.
    case changeRole(Int, role: Int)
    /// A client goes offline; its user's role is narrowed and restored before it returns.
    case narrowRole(Int, role: Int, milliseconds: UInt64)
    /// A client commits a transaction that assigns a role to a client's user.
    case assignRole(by: Int, to: Int, role: Int, edits: Int, seed: UInt64)
    /// An action of, or on, the device that syncs as Realm's clients do.
    case peer(PeerAction)
    /// The invariants that hold at any time are checked.
    case check
  }

  /// Transactions that an app commits one after another.
  struct Writes: Sendable {
    let transactionCount: Int
    /// The number of edits in each transaction.
    let editCount: Int
    let seed: UInt64

    /// Commits the transactions; each gets a generator of its own.
    func perform(_ commit: (_ editCount: Int, SeededGenerator) throws -> Void) rethrows {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<transactionCount { try commit(editCount, random.split()) }
    }
  }

  /// A kind of fault in a simulation. The seed determines which kinds occur, so that rare ones coincide.
  enum Fault: Int, CaseIterable, Sendable {
    case away, partition, stall, breakage, halfOpen, kill, power, crashPoint, diskFailure, diskFull, clock,
      reset
  }

  struct Step: Sendable {
    /// The time of the step, in simulated milliseconds.
    let time: UInt64
    let action: Action
  }

  let seed: UInt64
  let clientCount: Int
  let faults: Set<Fault>
  /// Whether to check what the server's compaction leaves behind. Compaction takes an hour of simulated time, so
  /// checking a part of the simulations must suffice. Files that a reset has replaced are remembered for days, with
  /// everything they would need.
  var waitsForCompaction: Bool { !hasResets && seed % 4 == 0 }
  /// Whether the server forgets clients that are offline for too long.
  var hasResets: Bool { faults.contains(.reset) }
  /// The initial role number of each client's user.
  let roles: [Int]
  /// Whether users have roles that restrict what they may read or write.
  let hasRules: Bool
  /// Whether the roles are synced objects that clients change.
  let syncsRoles: Bool
  /// Whether the users' roles change only while their devices are offline and are restored before these return.
  let narrowsRoles: Bool
  /// Whether apps change their schema, in an app in development mode.
  let changesSchema: Bool
  /// The device that syncs as Realm's clients do; nil if there is none.
  private(set) var peer: PeerPlan?
  var steps: [Step] = []

  /// Creates the plan for a seed.
  package init(seed: UInt64) {
    var random = SeededGenerator(seed: seed &* 0x2545_f491_4f6c_dd1d)
    self.seed = seed
    clientCount = random.number(in: 2...SimulationSchema.greatestClientCount)
    var faults: Set<Fault> = []
    for fault in Fault.allCases where random.chance(40) { faults.insert(fault) }
    self.faults = faults
    changesSchema = random.chance(30)
    let hasRules = random.chance(50)
    self.hasRules = hasRules
    syncsRoles = hasRules && random.chance(40)
    let narrowsRoles = hasRules && !syncsRoles && seed % 2 == 0
    self.narrowsRoles = narrowsRoles
    roles = (0..<clientCount).map { _ in
      let role = hasRules ? random.number(in: 0...ItemRole.all.count - 1) : 0
      return narrowsRoles ? 0 : role
    }
    var time: UInt64 = 0
    for client in 0..<clientCount {
      steps.append(
        Step(time: time, action: .subscribe(client, view: random.number(in: 0...ItemView.count - 1)))
      )
    }
    for _ in 0..<random.number(in: 40...160) {
      time += random.chance(5) ? random.number(in: 0...60_000) : random.number(in: 0...1_500)
      let action = action(&random)
      // A second reset before a client has recovered from the first one is left to its app.
      if case .goAwayTooLong = action, steps.contains(where: \.action.isAbsenceForTooLong) { continue }
      steps.append(Step(time: time, action: action))
    }
    guard seed % 4 == 3, seed / 4 % 3 != 0 else { return }
    let peer = PeerPlan(seed: seed, device: clientCount, duration: time)
    self.peer = peer
    steps = (steps + peer.steps).sorted { $0.time < $1.time }
  }

  private func action(_ random: inout SeededGenerator) -> Action {
    let client = random.number(in: 0...clientCount - 1)
    if random.chance(25), !faults.isEmpty {
      let fault = random.pick(faults.sorted { $0.rawValue < $1.rawValue })
      return action(of: fault, client, &random)
    }
    switch random.number(in: 0...99) {
    case 0..<10: return .subscribe(client, view: random.number(in: 0...ItemView.count - 1))
    case 10..<16: return .check
    case 16..<20 where changesSchema: return .upgrade(client)
    case 20..<26 where hasRules: return roleChange(client, &random)
    default: return .write(client, Writes(&random))
    }
  }

  private func roleChange(_ client: Int, _ random: inout SeededGenerator) -> Action {
    let role = random.number(in: 0...ItemRole.all.count - 1)
    if narrowsRoles {
      return .narrowRole(client, role: role, milliseconds: random.number(in: 4_000...60_000))
    }
    guard syncsRoles else { return .changeRole(client, role: role) }
    return .assignRole(
      by: random.number(in: 0...clientCount - 1),
      to: client,
      role: role,
      edits: random.number(in: 0...4),
      seed: random.next()
    )
  }

  private func action(of fault: Fault, _ client: Int, _ random: inout SeededGenerator) -> Action {
    let place = random.chance(40) ? Place.server : .client(client)
    let short = random.number(in: UInt64(0)...3_000)
    let long = random.number(in: UInt64(1_000)...200_000)
    switch fault {
    case .away: return .goAway(client, milliseconds: long)
    case .partition: return .partition(client, milliseconds: random.chance(50) ? short : long)
    case .stall: return .stallReader(client, milliseconds: long)
    case .breakage: return .breakConnection(client, clientNotices: true, serverNotices: true)
    case .halfOpen:
      let clientNotices = random.chance(50)
      return .breakConnection(client, clientNotices: clientNotices, serverNotices: !clientNotices)
    case .kill: return .kill(place, milliseconds: short)
    case .power: return .losePower(place, milliseconds: short)
    case .crashPoint:
      let number = random.number(in: 1...60)
      return random.chance(50)
        ? .killDuringChange(place, number: number, milliseconds: short)
        : .losePowerDuringChange(place, number: number, milliseconds: short)
    case .diskFailure:
      return .failDisk(place, number: random.number(in: 1...100), count: random.number(in: 1...5))
    case .diskFull: return .fillDisk(place, milliseconds: long)
    case .reset: return .goAwayTooLong(client)
    case .clock:
      let days = random.number(in: Int64(-3650)...3650)
      return .setClock(client, error: days * 86_400_000)
    }
  }
}

extension Plan.Action {
  fileprivate var isAbsenceForTooLong: Bool {
    if case .goAwayTooLong = self { true } else { false }
  }
}

extension Plan.Writes {
  /// Chooses the transactions at random.
  init(_ random: inout SeededGenerator) {
    // The order in which the numbers are drawn decides what a seed means.
    let transactionCount = random.chance(10) ? random.number(in: 2...20) : 1
    let editCount = random.number(in: 0...4)
    self.init(transactionCount: transactionCount, editCount: editCount, seed: random.next())
  }
}
