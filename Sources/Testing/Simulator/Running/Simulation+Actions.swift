// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncTestSupport

// Execution of the plan's actions.

extension Simulation {
  /// How long an app takes to have its file recreated, in milliseconds.
  private static let appDelay: UInt64 = 4_000

  func perform(_ action: Plan.Action) throws {
    log.write("\(action)")
    switch action {
    case .write(let client, let writes):
      writes.perform { editCount, random in
        attemptOnDisk(clients[client]) { try clients[client].write(editCount: editCount, random: random) }
      }
    case .assignRole(let author, let client, let role, let edits, let seed):
      report.count("changes of roles by clients")
      attemptOnDisk(clients[author]) {
        try clients[author].write(
          editCount: edits,
          random: SeededGenerator(seed: seed),
          role: RoleAssignment(client: client, number: role)
        )
      }
    case .subscribe(let client, let view): subscribe(clients[client], ItemView(view))
    case .goAway(let client, let milliseconds):
      clients[client].suspend()
      count("clients away")
      world.time.schedule(after: milliseconds) { [unowned self] in clients[client].resume() }
    case .goAwayTooLong(let client): goAwayTooLong(clients[client])
    case .partition(let client, let milliseconds):
      network.cut(client)
      mend(client, after: milliseconds)
      count("partitions")
    case .stallReader(let client, let milliseconds):
      network.stallReader(client)
      mend(client, after: milliseconds)
      count("slow readers")
    case .breakConnection(let client, let clientNotices, let serverNotices):
      let sides = (clientNotices ? [SimulatedLink.Side.client] : []) + (serverNotices ? [.server] : [])
      network.breakConnection(client, noticedBy: sides)
      count(sides.count == 2 ? "broken connections" : "half-open connections")
    case .kill(let place, let milliseconds): crash(place, .processKilled, restartAfter: milliseconds)
    case .losePower(let place, let milliseconds): crash(place, .powerLost, restartAfter: milliseconds)
    case .killDuringChange(let place, let number, let milliseconds):
      crash(place, .processKilled, duringChange: number, restartAfter: milliseconds)
    case .losePowerDuringChange(let place, let number, let milliseconds):
      crash(place, .powerLost, duringChange: number, restartAfter: milliseconds)
    case .failDisk(let place, let number, let count):
      machine(place).disk.fail(nil, number: number, repetitions: count)
    case .fillDisk(let place, let milliseconds): fill(machine(place).disk, milliseconds: milliseconds)
    case .setClock(let client, let error):
      clients[client].clockError = error
      count("wrong clocks")
    case .upgrade(let client): upgrade(clients[client])
    case .changeRole(let client, let role): changeRole(client, role)
    case .narrowRole(let client, let role, let milliseconds):
      try narrowRole(clients[client], role, milliseconds: milliseconds)
    case .peer(let action): try perform(action)
    case .check: try check()
    }
  }

  func count(_ fault: String) { report.count("fault: \(fault)") }

  private func machine(_ place: Plan.Place) -> any SimulatedMachine {
    switch place {
    case .server: server
    case .client(let number): clients[number]
    }
  }

  // MARK: Apps

  private func subscribe(_ client: SimulatedClient, _ view: ItemView) {
    guard client.isRunning else { return }
    offlineWrites.forget(client.number)
    attemptOnDisk(client) {
      try client.subscribe(to: view)
      wantedViews[client.number] = view
    }
  }

  private func upgrade(_ client: SimulatedClient) {
    guard client.isRunning, client.appVersion < SimulationSchema.newestVersion else { return }
    report.count("upgrades of apps")
    attemptOnDisk(client) { try client.upgrade() }
    guard let view = wantedViews[client.number] else { return }
    subscribe(client, view)
  }

  func changeRole(_ client: Int, _ role: Int) {
    report.count("changes of roles")
    roles.set(role, for: client)
    server.roleHasChanged(of: client)
    oracle.changed(client, to: role)
  }

  /// Performs an operation that the disk's faults may prevent; in that case it has not happened.
  func attemptOnDisk(_ client: SimulatedClient, _ body: () throws -> Void) {
    do {
      try body()
    } catch let error as StorageError {
      log.write("client \(client.number): \(error.message)")
    } catch {
      fail("client \(client.number): \(error)")
    }
    client.buryIfDead()
  }

  private func check() throws {
    if let store = server.store {
      try server.disk.withoutFaults { try StateChecks.checkTransactionsAreWhole(store.objects, "the server") }
    }
    for client in clients {
      guard let objects = client.objects else { continue }
      try client.disk.withoutFaults {
        try StateChecks.checkTransactionsAreWhole(objects, "client \(client.number)")
      }
    }
    report.count("checks on the way")
  }

  private func goAwayTooLong(_ client: SimulatedClient) {
    client.suspend()
    count("clients away for too long")
    // The server must first notice that the client has gone offline.
    world.time.schedule(after: 10_000) { [unowned self] in
      absencesForTooLong += 1
      let absence = UInt64(Simulation.maximumOfflineDays + 1) * 86_400_000
      world.time.jump(milliseconds: absence)
      answers.skip(milliseconds: absence)
      world.time.schedule(after: 10_000) { client.resume() }
    }
  }

  // MARK: Network

  func mend(_ client: Int, after milliseconds: UInt64) {
    world.time.schedule(after: milliseconds) { [unowned self] in network.mend(client) }
  }

  // MARK: Crashes

  private func crash(_ place: Plan.Place, _ crash: SimulatedDisk.Crash, restartAfter milliseconds: UInt64) {
    let machine = machine(place)
    guard machine.isRunning else { return }
    machine.crash(crash)
    loseConnections(of: place, crash)
    losses[place] = crash == .powerLost
    count(crash == .powerLost ? "power losses" : "killed processes")
    restart(place, after: milliseconds)
  }

  /// The system closes the connections of a killed process; those of a machine without power hang.
  private func loseConnections(of place: Plan.Place, _ crash: SimulatedDisk.Crash) {
    let isNoticed = crash != .powerLost
    switch place {
    case .server:
      for way in network.ways.indices { network.breakConnection(way, noticedBy: isNoticed ? [.client] : []) }
    case .client(let number): network.breakConnection(number, noticedBy: isNoticed ? [.server] : [])
    }
  }

  private func crash(
    _ place: Plan.Place,
    _ crash: SimulatedDisk.Crash,
    duringChange number: Int,
    restartAfter milliseconds: UInt64
  ) {
    let machine = machine(place)
    guard machine.isRunning else { return }
    losses[place] = crash == .powerLost
    delays[place] = milliseconds
    machine.disk.crash(crash, duringChange: number)
  }

  /// Handles the death of a process in the middle of a disk operation.
  func died(_ place: Plan.Place) {
    let powerWasLost = losses[place] == true
    log.write("died: \(place)")
    loseConnections(of: place, powerWasLost ? .powerLost : .processKilled)
    count(powerWasLost ? "power losses during a disk operation" : "processes killed during a disk operation")
    restart(place, after: delays.removeValue(forKey: place) ?? 0)
  }

  private func restart(_ place: Plan.Place, after milliseconds: UInt64) {
    world.time.schedule(after: milliseconds) { [unowned self] in start(place) }
  }

  /// Starts a process. Tries again later if the disk's faults prevent that.
  func start(_ place: Plan.Place) {
    guard !machine(place).isRunning else { return }
    log.write("start: \(place)")
    do {
      switch place {
      case .server: try server.start()
      case .client(let number): try start(clients[number])
      }
      losses[place] = nil
    } catch let error as StorageError {
      log.write("cannot start \(place): \(error.message)")
      guard error.kind != .corrupt, error.kind != .notADatabase else {
        return fail("\(place) cannot start: \(error.message)")
      }
      restart(place, after: 1_000)
    } catch {
      fail("\(place) cannot start: \(error)")
    }
  }

  private func start(_ client: SimulatedClient) throws {
    let isReset = try client.resetFile { try reconcile(client, $0) }
    let view = wantedViews[client.number]
    try client.start()
    try client.disk.withoutFaults {
      guard let objects = client.objects else { return }
      try reconcile(client, try StateChecks.keys(objects, SimulationSchema.journal))
      wantedViews[client.number] = try client.wantedView()
    }
    if isReset, let view { subscribe(client, view) }
  }

  private func reconcile(_ client: SimulatedClient, _ keys: Set<String>) throws {
    let place = Plan.Place.client(client.number)
    try ledger.reconcile(client: client.number, keys: keys, powerWasLost: losses[place] == true)
  }

  /// Makes an app do as it was told: close its realm, and open it once the file has been recreated. Until then it may
  /// write.
  func resetLater(_ client: SimulatedClient) {
    world.time.schedule(after: Simulation.appDelay) { [unowned self] in
      guard client.isRunning else { return }
      report.count("client resets left to the app")
      offlineWrites.forget(client.number)
      let place = Plan.Place.client(client.number)
      client.crash(.processKilled)
      loseConnections(of: place, .processKilled)
      start(place)
    }
  }

  // MARK: Disks

  private func fill(_ disk: SimulatedDisk, milliseconds: UInt64) {
    disk.capacity = disk.usedBytes
    count("full disks")
    world.time.schedule(after: milliseconds) { disk.capacity = nil }
  }

  // MARK: Healing

  /// Ends all faults.
  func heal() throws {
    log.write("heal")
    for disk in [server.disk] + clients.map(\.disk) {
      disk.capacity = nil
      disk.clearFaults()
    }
    for way in network.ways.indices { network.mend(way) }
    for client in clients { client.resume() }
    for session in peer?.sessions ?? [] { session.resume() }
    start(.server)
    for client in clients { start(.client(client.number)) }
  }
}
