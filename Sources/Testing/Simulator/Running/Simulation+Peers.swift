// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore
import FlexSyncTestSupport
import FlexSyncWire

// The device that syncs as Realm's clients do.

extension Simulation {
  /// Returns the ways of all devices. The last one belongs to the device with several realms, if there is one.
  static func ways(_ plan: Plan, _ random: inout SeededGenerator) -> [NetworkWay] {
    let ways = (0..<plan.clientCount).map { _ in NetworkWay(random: random.split()) }
    guard var random = plan.peer?.random else { return ways }
    return ways + [NetworkWay(random: random.split())]
  }

  func makePeer(_ peerPlan: PeerPlan) throws -> PeerDevice {
    let peer = try PeerDevice(
      plan.clientCount,
      world,
      network: network,
      log: log,
      plan: peerPlan,
      mayBeForgotten: plan.hasResets
    )
    log.write(
      "device \(peer.number) syncs as Realm's clients do, \(peerPlan.realmCount) realms on one connection"
    )
    peer.onReceive = { [unowned self] message, realm in try oracle.received(message, by: realm.number) }
    peer.onActive = { [unowned self] realm in
      oracle.activated(realm.number, set: Int64(realm.activeVersion))
    }
    peer.onReset = { [unowned self] in try noteReset($0, acknowledged: $1, isRecovering: $2) }
    // The server may close a connection before the device learns that it exists.
    peer.onConnecting = { [unowned self] in excusesAtConnection = excusesForClosing }
    peer.onClosedByServer = { [unowned self] in noteClosure() }
    network.ways[peer.number].onMessage = { [unowned self] bytes, side in
      attempt { try peerMessageArrived(bytes, from: side) }
    }
    return peer
  }

  private func noteReset(_ realm: PeerRealm, acknowledged: UInt64, isRecovering: Bool) throws {
    log.write("realm \(realm.number) was reset, changes \(isRecovering ? "recovered" : "discarded")")
    report.count("client resets as Realm's clients do them")
    if isRecovering { return ledger.mayRepeat(client: realm.number, after: acknowledged) }
    let keys = try StateChecks.keys(realm.objects, SimulationSchema.journal)
    ledger.discardAll(of: realm.number, except: keys)
  }

  /// The number of events for which the server may close a connection: the other end is silent or does not read, or
  /// the server's disk fails. Nothing that happens within a session is a valid reason.
  private var excusesForClosing: Int {
    let statistics = server.disk.statistics
    return network.ways[plan.clientCount].hindranceCount + statistics.injectedFailures
      + statistics.fullFailures + absencesForTooLong
  }

  private func noteClosure() {
    guard let peer, excusesForClosing == excusesAtConnection, !network.ways[peer.number].isReaderStalled
    else { return }
    fail("the server has closed the connection of device \(peer.number) for no reason")
  }

  // MARK: Executing the plan

  func perform(_ action: PeerAction) throws {
    guard let peer else { return }
    switch action {
    case .write(let realm, let writes):
      try writes.perform { try write(peer.sessions[realm], edits: $0, random: $1) }
    case .subscribe(let realm, let view): subscribe(peer.sessions[realm], ItemView(view))
    case .pause(let realm, let milliseconds):
      count("sessions ended while others go on")
      peer.sessions[realm].pause(milliseconds: milliseconds)
    case .moveIn(let realm, let isUnknown, let isRepeated, let interruption):
      peer.sessions[realm].moveIn(isUnknown: isUnknown, isRepeated: isRepeated)
      guard let interruption else { return }
      count("interrupted client resets")
      peer.interrupt(after: interruption.messageCount, isCrash: interruption.isCrash)
    case .kill(let milliseconds):
      peer.crash(restartAfter: milliseconds)
      count("killed processes")
    }
  }

  private func write(_ session: PeerSession, edits count: Int, random: SeededGenerator) throws {
    let realm = session.realm
    guard realm.activeVersion > 0 else { return }
    let (key, sequence) = ledger.nextKey(client: realm.number)
    let version = try realm.write { objects in
      var edits = ItemEdits(objects: objects, random: random, makeToken: ledger.makeToken)
      try edits.transaction(key, client: realm.number) { edits in
        for _ in 0..<count { try edits.edit() }
      }
      return edits.instructions
    }
    ledger.note(key, client: realm.number, sequence: sequence, fate: .committed, version: version)
    session.sendPending()
  }

  private func subscribe(_ session: PeerSession, _ view: ItemView) {
    var queries = [
      SimulationSchema.board, SimulationSchema.journal, SimulationSchema.member, SimulationSchema.witness,
    ].map { #""\#($0)":"(TRUEPREDICATE)""# }
    if let query = view.query {
      queries.append(#""\#(SimulationSchema.item)":"(\#(query.replacing("\"", with: #"\""#)))""#)
    }
    let realm = session.realm
    let version = realm.subscribe("{\(queries.joined(separator: ","))}", view: view)
    log.write("realm \(realm.number): set \(version) \(view.query ?? "-")")
    oracle.subscribed(realm.number, to: view, set: Int64(version))
    session.sendPending()
  }

  // MARK: Final checks

  /// Returns what is not as it must be at the end on the device; nil if everything is.
  func unrestOfPeer(_ store: ServerStore) throws -> String? {
    guard let peer else { return nil }
    for session in peer.sessions {
      let realm = session.realm
      guard session.isQuiet else { return "realm \(realm.number) is not done: \(session.state)" }
      try StateChecks.checkTransactionsAreWhole(realm.objects, "realm \(realm.number)")
      guard let view = realm.view else { continue }
      let difference = try StateChecks.difference(
        realm.objects,
        view,
        role: roles.role(of: realm.number),
        hasMemos: false,
        server: store.objects
      )
      if let difference { return "realm \(realm.number) with \(view.query ?? "no items"): \(difference)" }
    }
    return nil
  }
}
