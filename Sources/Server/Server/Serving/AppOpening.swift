// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncServerStore
import FlexSyncServerSupport
import FlexSyncStore
import FlexSyncTransport
import Logging

/// Opens the apps of a server at startup. Runs on the thread of the server's loop.
final class AppOpening {
  private let configuration: ServerConfiguration
  private let folder: DataFolder
  private let signer: TokenSigner
  private let origin: PublicOrigin
  private let appIDs: Set<String>
  /// The server's loop.
  private let network: EventLoop
  let passwordSlots: PasswordSlots
  /// The maximum number of waiting requests per app. Those of all apps together take at most half of the connections.
  private var maximumWaitingCount: Int {
    let connections = min(HTTPServerConfiguration().maximumConnections, DescriptorLimit.current)
    return min(4_000, connections / (2 * max(appIDs.count, 1)))
  }

  /// The rota for apps that share the server's loop.
  private let rota: TurnRota

  init(
    _ configuration: ServerConfiguration,
    folder: DataFolder,
    signer: TokenSigner,
    origin: PublicOrigin,
    appIDs: Set<String>,
    network: EventLoop
  ) {
    self.configuration = configuration
    self.folder = folder
    self.signer = signer
    self.origin = origin
    self.appIDs = appIDs
    self.network = network
    passwordSlots = PasswordSlots(count: configuration.limits.passwordSlots)
    rota = TurnRota(network, budget: configuration.deliveryLimits.turn)
  }

  /// Opens the stores of the apps. Their threads are not started yet.
  ///
  /// - Returns: The apps by app id.
  func open(_ apps: [AppConfiguration]) throws -> [String: AppThread] {
    var threads: [String: AppThread] = [:]
    do {
      for app in apps {
        warn(of: app)
        threads[app.appID] = try open(app)
      }
      return threads
    } catch {
      for thread in threads.values { thread.end() }
      for thread in threads.values { thread.join() }
      passwordSlots.dismissQueues()
      throw error
    }
  }

  private func warn(of app: AppConfiguration) {
    for warning in app.warnings {
      configuration.logger.warning("\(warning)", metadata: ["app": "\(app.appID)"])
    }
    for part in app.notCarriedOver {
      configuration.logger.warning("\(part)", metadata: ["app": "\(app.appID)"])
    }
  }

  private func open(_ app: AppConfiguration) throws -> AppThread {
    guard configuration.appsHaveThreads else { return try open(app, on: network) }
    let loop = try EventLoop()
    do {
      return try open(app, on: loop)
    } catch {
      loop.stop()
      loop.run()
      throw error
    }
  }

  private func open(_ app: AppConfiguration, on loop: EventLoop) throws -> AppThread {
    try warnOfOtherData(than: app)
    let interruption = Interruption()
    let served = try ServedApp(
      app: app,
      store: try folder.openStore(appID: app.appID, interruption: interruption),
      signer: signer,
      loop: loop,
      worker: loop,
      clock: configuration.clock,
      limits: configuration.deliveryLimits,
      serverLimits: configuration.limits,
      logger: configuration.logger,
      policy: configuration.accounts,
      passwords: PasswordQueue(loop: loop, limits: configuration.limits, slots: passwordSlots),
      mailDelivery: configuration.mailDelivery,
      permissions: configuration.permissions,
      rota: loop === network ? rota : TurnRota(loop, budget: configuration.deliveryLimits.turn)
    )
    if configuration.limits.recordByteCount > 0 {
      let records = DataFolder.recordFolder(in: folder.path, appID: app.appID)
      // It also tells that the store has been there, if that is empty or missing at the next start.
      try FileSystem.createDirectory(records)
      served.keepRecords(in: RecordFiles(folder: records, byteCount: configuration.limits.recordByteCount))
    }
    let endpoint = AppEndpoint(
      served,
      api: api(service: served.accounts),
      limits: configuration.limits,
      interruption: interruption,
      logger: configuration.logger
    )
    return AppThread(
      endpoint,
      loop: loop,
      network: network,
      interruption: interruption,
      maximumWaitingCount: maximumWaitingCount
    )
  }

  /// Warns if the app has no data, but the folder has those of an app that is not served: its identifier may have been
  /// changed by mistake.
  private func warnOfOtherData(than app: AppConfiguration) throws {
    let stored = try folder.appIDs()
    let others = stored.filter { !appIDs.contains($0) }
    guard !stored.contains(app.appID), !others.isEmpty else { return }
    let text =
      "app \(app.appID) begins without users and data. The data folder holds those of \(others.joined(separator: ", ")), "
      + "which is not served; if the app_id was changed by mistake, change it back and restart the server"
    configuration.logger.warning("\(text)")
  }

  /// Creates the client API of an app, or that of the server, which has no users.
  func api(service: AccountService?) -> ClientAPI {
    ClientAPI(
      appIDs: appIDs,
      service: service,
      signer: signer,
      clock: configuration.clock,
      origin: origin,
      logger: configuration.logger
    )
  }
}
