// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncRules
import FlexSyncScheduling
import FlexSyncServer
import FlexSyncServerStore
import FlexSyncWire
import Logging

/// The process of a simulated server: the real engine on a simulated disk and loop.
struct ServerProcess {
  let scheduler: SimulatedScheduler
  let store: ServerStore
  private let app: ServedApp

  var engine: SyncEngine { app.engine }

  init(
    _ configuration: AppConfiguration,
    store: ServerStore,
    scheduler: SimulatedScheduler,
    world: SimulatedWorld,
    limits: DeliveryLimits,
    logger: Logger,
    salts: SaltSource,
    permissions: any PermissionSource
  ) throws {
    self.scheduler = scheduler
    self.store = store
    app = try ServedApp(
      app: configuration,
      store: store,
      signer: TokenSigner(key: Array(repeating: 7, count: 32)),
      loop: scheduler,
      worker: ImmediateWorker(),
      clock: WallClock { world.unixMilliseconds },
      limits: limits,
      logger: logger,
      salts: salts,
      permissions: permissions
    )
  }

  /// Accepts a user's connection.
  func accept(_ link: SimulatedLink, userID: String, subprotocol: String?) -> SimulatedChannel {
    let channel = SimulatedChannel(link, .server, scheduler: scheduler, subprotocol: subprotocol)
    scheduler.turn { app.accept(channel, version: .newest, userID: userID) }
    return channel
  }
}
