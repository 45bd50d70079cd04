// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncScheduling
import FlexSyncTestSupport
import FlexSyncTransport
import Foundation
import Logging
import Synchronization

@testable import FlexSyncCore
@testable import FlexSyncEngine
@testable import FlexSyncRules
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

/// A real server with the example app, on threads of its own.
final class SyncServer: @unchecked Sendable {
  private let folder = TemporaryFolder()
  private let appDirectory: String
  private let clock: WallClock
  private let tls: SelfSignedCertificate?
  private let permissions: (any PermissionSource & Sendable)?
  private let limits: DeliveryLimits
  /// What the operator allows from the next `start` on.
  var clientLimits = ServerLimits()
  private var endpoint = Endpoint(host: "127.0.0.1", port: 0)
  private var loop: EventLoop?
  private var server: LoopBound<Server>?

  var url: String { tls == nil ? "http://\(endpoint)" : "https://\(endpoint)" }
  var port: UInt16 { endpoint.port }

  init(
    app: String = PackageFolder.taskTracker,
    clock: WallClock = .system,
    tls: SelfSignedCertificate? = nil,
    permissions: (any PermissionSource & Sendable)? = nil,
    limits: DeliveryLimits = DeliveryLimits(),
    clientLimits: ServerLimits = ServerLimits()
  ) throws {
    self.clientLimits = clientLimits
    appDirectory = app
    self.clock = clock
    self.tls = tls
    self.permissions = permissions
    self.limits = limits
    try start()
  }

  deinit { stop() }

  /// Serves, on the same port as before.
  func start() throws {
    let loop = try EventLoop()
    var configuration = ServerConfiguration(
      appDirectories: [appDirectory],
      dataFolder: "\(folder.path)/data",
      listenAddress: "\(endpoint)",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    configuration.clock = clock
    // Before the limits on deliveries, some of which it sets.
    configuration.limits = clientLimits
    configuration.tlsCertificate = tls?.certificateFile
    configuration.tlsKey = tls?.keyFile
    configuration.permissions = permissions
    configuration.deliveryLimits = limits
    configuration.appsHaveThreads = true
    try FileSystem.makeFolder(folder.path)
    let server = try Server(configuration, loop: loop)
    endpoint = server.endpoint
    self.server = LoopBound(server, loop: loop)
    self.loop = loop
    try loop.start()
  }

  /// Tells the server that what users may see and do has changed.
  func permissionsHaveChanged() {
    guard let loop, let server else { return }
    loop.execute {
      for app in server.value.threads.values { app.run { $0.served.engine.permissionsMayHaveChanged() } }
    }
  }

  /// Waits until the server has noticed that no session goes on.
  func waitForTheEndOfSessions(seconds: Double = Patience.seconds) throws {
    let deadline = Clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
    while sessionCount() > 0 {
      guard Clock.monotonicNanoseconds() < deadline else {
        throw Failure(status: .FLX_STATUS_TIMED_OUT, message: "the server's sessions do not end")
      }
      pause(milliseconds: 1)
    }
  }

  private func sessionCount() -> Int {
    guard let loop, let server else { return 0 }
    let count = Mutex(0)
    let answered = DispatchSemaphore(value: 0)
    loop.execute {
      for app in server.value.threads.values {
        app.run { app in
          count.withLock { $0 += app.served.engine.sessionCount }
          answered.signal()
        }
      }
    }
    // One app is served.
    answered.wait()
    return count.withLock { $0 }
  }

  /// Keeps a copy of the data, for `restore`.
  func backUp() throws {
    stop()
    try FileSystem.remove("\(folder.path)/backup")
    try FileManager.default.copyItem(atPath: "\(folder.path)/data", toPath: "\(folder.path)/backup")
    try start()
  }

  /// Goes back to the copy of the data: what came later is gone.
  func restore() throws {
    stop()
    try FileManager.default.removeItem(atPath: "\(folder.path)/data")
    try FileManager.default.copyItem(atPath: "\(folder.path)/backup", toPath: "\(folder.path)/data")
    try start()
  }

  /// Stops, as a process that gets SIGTERM; the data stay.
  func stop() {
    guard let loop, let server else { return }
    loop.execute { server.value.stop { loop.stop() } }
    loop.join()
    self.loop = nil
    self.server = nil
  }
}
