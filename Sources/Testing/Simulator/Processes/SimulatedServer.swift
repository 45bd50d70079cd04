// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncTestSupport
import FlexSyncWire

/// The server of a simulation: the real engine on a simulated disk, loop and network.
final class SimulatedServer: SimulatedMachine {
  let disk: SimulatedDisk
  private let world: SimulatedWorld
  private let log: SimulationLog
  private var limits: DeliveryLimits
  private let configuration: AppConfiguration
  private let roles: SimulatedRoles
  private var random: SeededGenerator
  private var process: ServerProcess?
  /// Called with the store before the engine starts and at the end of each turn.
  var onTurn: ((ServerStore) -> Void)?
  var onDeath: (() -> Void)?

  init(
    _ world: SimulatedWorld,
    log: SimulationLog,
    configuration: AppConfiguration,
    roles: SimulatedRoles,
    random: inout SeededGenerator
  ) {
    self.world = world
    self.log = log
    self.configuration = configuration
    self.roles = roles
    self.random = random.split()
    disk = SimulatedDisk(name: "server", seed: random.next())
    // Small batches, so that bootstraps can be interrupted.
    limits = DeliveryLimits(
      messageByteCount: self.random.pick([100, 1_000, 100_000]),
      changesetByteCount: self.random.pick([60, 500, 50_000])
    )
    // Simulated time stands still within a turn, so turns are limited by the number of their steps.
    limits.turn.stepCount = self.random.pick([8, 100, 10_000])
    // Small limits, so that even a short absence counts as a long one for some servers.
    limits.history.recentCount = self.random.pick([2, 20, 1_024])
    limits.history.pieceByteCount = self.random.pick([0, 1_000, 1 << 20])
    // With some servers, clients wait for each other's bootstraps.
    limits.simultaneousBootstraps = self.random.pick([1, 2, 128])
  }

  var isRunning: Bool { process != nil }

  /// The store; nil while the server is not running.
  var store: ServerStore? { process?.store }

  /// Returns whether a client has a session; false if the server is not running.
  func hasSession(of client: Int) -> Bool {
    process?.engine.hasSession(of: SimulationSchema.userID(client)) ?? false
  }

  // MARK: Lifecycle

  func start() throws {
    disk.restart()
    let scheduler = SimulatedScheduler(world.time) { [disk] in disk.isCrashed }
    let store = try ServerStore(path: disk.path("data.sqlite"))
    roles.store = store
    // A killed server may have committed something in its last turn, and the engine compacts the history when it
    // starts.
    onTurn?(store)
    let process = try ServerProcess(
      configuration,
      store: store,
      scheduler: scheduler,
      world: world,
      limits: limits,
      logger: log.logger,
      salts: SaltSource { [unowned self] in Int64(random.next() >> 1) | 1 },
      permissions: roles
    )
    scheduler.onTurnEnd = { [weak self] in self?.turned() }
    self.process = process
  }

  private func turned() {
    buryIfDead()
    if let process { onTurn?(process.store) }
  }

  func end() {
    process?.scheduler.stop()
    process = nil
  }

  /// Notifies the server that the role of a client's user has changed. A server that is not running reads it at
  /// startup.
  func roleHasChanged(of client: Int) {
    guard let process else { return }
    process.scheduler.turn {
      process.engine.permissionsMayHaveChanged(of: SimulationSchema.userID(client))
    }
  }

  /// Accepts a client's connection.
  func accept(_ link: SimulatedLink, client: Int) -> SimulatedChannel? {
    guard let process, let name = SubprotocolNegotiation.clientOffer.first else { return nil }
    return process.accept(link, userID: SimulationSchema.userID(client), subprotocol: name)
  }
}
